// Checks switch on long long, unsigned, char and enum: conversion of labels and huge ranges.
int printf(const char *, ...);

static int wide(long long n)
{
    switch (n) {
    case 1: return 1;
    case 1LL << 32: return 2;
    case (1LL << 32) + 1: return 3;
    case -1: return 4;
    case 5000000000 ... 6000000000: return 5;
    case 9223372036854775807LL: return 6;
    case -9223372036854775807LL - 1: return 7;
    }
    return 0;
}

static int unsign(unsigned n)
{
    switch (n) {
    case -1: return 1;
    case 0x80000000 ... 0x80000010: return 2;
    case 0 ... 5: return 3;
    default: return 4;
    }
}

static int narrow(unsigned char c)
{
    switch (c) {
    case 200: return 1;
    case 250 ... 300: return 2;
    default: return 0;
    }
}

static int text(char c)
{
    switch (c) {
    case '\xff': return 1;
    case 'a': return 2;
    default: return 0;
    }
}

static int unsigned_wide(unsigned long long n)
{
    switch (n) {
    case 1ull << 63 ... ~0ull: return 1;
    case 0 ... 10: return 2;
    default: return 3;
    }
}

int main(void)
{
    long long values[] = {1, 1LL << 32, (1LL << 32) + 1, -1, 5500000000, 6000000001, 9223372036854775807LL, 1LL << 63, 4294967295};
    for (int i = 0; i < 9; i++)
        printf("%d %d\n", wide(values[i]), unsigned_wide(values[i]));
    printf("%d %d %d %d\n", unsign(4294967295u), unsign(0x80000005), unsign(3), unsign(6));
    printf("%d %d %d\n", narrow(200), narrow(255), narrow(44));
    printf("%d %d\n", text(-1), text('a'));
    _Bool b = 5;
    switch (b) {
    case 1: printf("true\n"); break;
    case 5: printf("five\n"); break;
    }
    return 0;
}
