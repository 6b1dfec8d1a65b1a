// Checks conversions between floating and integer types: truncation, sign, range of each type.
int printf(const char *, ...);

int main(void)
{
    double values[] = {0.0, 0.5, 0.999, 1.5, -0.5, -1.5, 2147483647.75, -2147483648.0, 127.9, -128.9};
    for (int i = 0; i < 10; i++) {
        double d = values[i];
        float f = (float)d;
        printf("%d %lld %lld\n", (int)d, (long long)d, (long long)f);
    }
    double big = 4294967295.0, huge = 18446744073709549568.0;
    printf("%u %llu %llu\n", (unsigned)big, (unsigned long long)big, (unsigned long long)huge);
    printf("%u\n", (unsigned)3000000000.5);
    int n = 16777217;
    unsigned u = 4294967295u;
    long long ll = 9007199254740993LL;
    unsigned long long ull = 18446744073709551615ULL;
    float f = n;
    printf("%f %d\n", f, (int)f == n);
    f = u;
    printf("%f\n", f);
    double d = n;
    printf("%f %d\n", d, (int)d == n);
    d = u;
    printf("%f\n", d);
    d = ll;
    printf("%f\n", d);
    d = ull;
    printf("%f\n", d);
    d = -ll;
    printf("%f\n", d);
    signed char c = -7;
    unsigned short s = 65535;
    d = c, f = s;
    printf("%f %f\n", d, f);
    d = 0.1f;
    printf("%e %d\n", d, d == 0.1);
    f = 0.1;
    printf("%d %d\n", f == 0.1f, (double)f == 0.1);
    int total = 10;
    total *= 0.25;
    printf("%d\n", total);
    total += 1.75;
    printf("%d\n", total);
    unsigned char small = 3;
    small *= 1.5;
    printf("%d\n", small);
    return (int)-3.99 + 3;
}
