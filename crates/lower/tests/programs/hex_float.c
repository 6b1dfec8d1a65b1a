// Checks hexadecimal and suffixed floating constants and the bits they are stored as.
int printf(const char *, ...);
void *memcpy(void *, const void *, __SIZE_TYPE__);

static unsigned long long bits(double d)
{
    unsigned long long n;
    memcpy(&n, &d, sizeof n);
    return n;
}

static unsigned bits32(float f)
{
    unsigned n;
    memcpy(&n, &f, sizeof n);
    return n;
}

int main(void)
{
    double table[] = {0x1p0, 0x1.8p1, 0x.8p0, 0x1.fffffffffffffp1023, 0x1p-1074, -0x1p-1, 0xAp-2, 0x1P+4, 0.1, 1e308,
                      1e-308, .5, 5., 5e0, 3.14159265358979323846};
    float small[] = {0x1p0f, 0x1.fffffep127f, 0x1p-149f, 0.1f, -1.5F, 1e10f, 16777217.0f, 0x1.000001p0f, 0x1.000003p0f};
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        printf("%llx\n", bits(table[i]));
    for (unsigned i = 0; i < sizeof small / sizeof *small; i++)
        printf("%x\n", bits32(small[i]));
    printf("%llx %x\n", bits(-0.0), bits32(-0.0f));
    printf("%d %d %d\n", (int)sizeof(0x1p0), (int)sizeof(0x1p0f), (int)(sizeof(0x1p0L) > 8));
    printf("%f %d\n", 0x10p-1, (int)0x7p2);
    return 0;
}
