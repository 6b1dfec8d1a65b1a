// Checks reading a union member other than the one written, by overlap and by size.
int printf(const char *, ...);

union bytes {
    unsigned n;
    unsigned char c[4];
    struct { unsigned short low, high; } h;
    struct { unsigned a : 4, b : 12, c : 16; } f;
};

union big { char c; long long ll; int pair[2]; struct { char a; short b; int n; } s; };

static unsigned swap(union bytes b)
{
    unsigned char t = b.c[0];
    b.c[0] = b.c[3], b.c[3] = t;
    t = b.c[1], b.c[1] = b.c[2], b.c[2] = t;
    return b.n;
}

int main(void)
{
    union bytes b = {0x12345678};
    printf("%x %x %x %x\n", b.c[0], b.c[1], b.c[2], b.c[3]);
    printf("%x %x\n", b.h.low, b.h.high);
    printf("%x %x %x\n", b.f.a, b.f.b, b.f.c);
    printf("%x %x\n", swap(b), b.n);
    b.h.high = 0xabcd;
    b.f.a = 0;
    printf("%x\n", b.n);
    union bytes d = {.c = {1, 2, 3, 4}};
    printf("%x\n", d.n);
    d = b;
    d.c[1]++;
    printf("%x %x\n", d.n, b.n);
    union big x = {.ll = -1};
    x.c = 0;
    printf("%llx %d %d\n", x.ll, x.pair[0], x.pair[1]);
    x.s.b = 0x1111;
    printf("%llx %d\n", x.ll, (int)sizeof x);
    union { int i; unsigned u; } sign = {-5};
    printf("%u\n", sign.u);
    union { void *p; unsigned long n; } address = {0};
    printf("%d\n", address.n == 0);
    printf("%d\n", ((union { int n; char c; }){0x4142}).c);
    return (unsigned char)((union bytes)0x0102u).c[1];
}
