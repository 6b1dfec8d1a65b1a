// Checks reading and writing the representation of floats through unions and character pointers.
int printf(const char *, ...);

union word {
    float f;
    unsigned u;
    unsigned char b[4];
};

union wide {
    double d;
    unsigned long long u;
    unsigned half[2];
    struct {
        unsigned long long mantissa : 52, exponent : 11, sign : 1;
    } parts;
};

int main(void)
{
    union word w = {1.0f};
    printf("%x %x %x\n", w.u, w.b[3], w.b[2]);
    w.u = 0x40490fdb;
    printf("%f\n", w.f);
    w.b[3] |= 0x80;
    printf("%f\n", w.f);
    union wide d = {-2.5};
    printf("%llx %x %x\n", d.u, d.half[0], d.half[1]);
    printf("%llx %d %d\n", (unsigned long long)d.parts.mantissa, (int)d.parts.exponent, (int)d.parts.sign);
    d.parts.exponent += 3;
    d.parts.sign = 0;
    printf("%f\n", d.d);
    d.u = 0x7ff0000000000000ull;
    printf("%d %d\n", d.d > 1e308, d.d == d.d);
    d.u |= 1ull << 51;
    printf("%d\n", d.d == d.d);
    float values[3] = {0.5f, -0.0f, 100.0f};
    unsigned char *p = (unsigned char *)values;
    for (unsigned i = 0; i < sizeof values; i++)
        printf("%x ", p[i]);
    printf("\n");
    p[7] = 0;
    p[3] = 0xc1;
    printf("%f %d\n", values[0], *(int *)&values[1]);
    *(unsigned *)&values[2] ^= 1u << 31;
    printf("%f\n", values[2]);
    return 0;
}
