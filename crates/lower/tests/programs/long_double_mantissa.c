// Checks that long double has a mantissa of 64 bits and a wider exponent than double.
int printf(const char *, ...);

int main(void)
{
    unsigned long long n = 18446744073709551615ull;
    long double x = n;
    double d = n;
    printf("%llu %d\n", (unsigned long long)x, d == x);
    long double one = 1, small = one;
    int bits = 0;
    while (one + small != one) {
        small /= 2;
        bits++;
    }
    printf("%d\n", bits);
    long long m = 9007199254740993LL;
    x = m;
    printf("%d %lld\n", (long long)x == m, (long long)(double)x);
    x = 1e308L;
    x *= 1e10L;
    printf("%d\n", x / 1e10L > 1e307L && x > 1e308L);
    printf("%d\n", 0.1L == 0.1);
    return 0;
}
