// Checks compound assignment of every operator: conversions, value and single evaluation of the place.
int printf(const char *, ...);

static int calls, list[3] = {100, 200, 300};
static int *at(int n) { calls++; return list + n; }

int main(void)
{
    int n = 100;
    printf("%d %d\n", n += 5, (int)sizeof(n += 5));
    n = 100;
    n -= 7, n *= 3, n /= 2, n %= 50, n <<= 3, n >>= 1, n |= 129, n &= ~1, n ^= 0xff;
    printf("%d\n", n);
    unsigned char c = 200;
    c += 100;
    printf("%d\n", c);
    c = 200, c *= 2, c -= 401;
    printf("%d\n", c);
    c = 200, c /= -1;
    printf("%d\n", c);
    c = 200, c >>= 3, c <<= 6;
    printf("%d\n", c);
    signed char s = -1;
    s /= 2u;
    printf("%d\n", s);
    s = -8, s >>= 1;
    printf("%d\n", s);
    int i = -10;
    i /= 3u;
    printf("%d\n", i);
    i = -10, i >>= 1u;
    printf("%d\n", i);
    i = 7, i *= 0.5;
    printf("%d\n", i);
    i = 5, i += 1LL << 33;
    printf("%d\n", i);
    i = -10, i %= 4;
    printf("%d\n", i);
    long long ll = -1;
    ll += 1u, ll -= 1u, ll &= 0xffffffffu;
    printf("%lld\n", ll);
    ll = -1, ll &= 0x7fffffff, ll |= -2147483647 - 1;
    printf("%lld\n", ll);
    float f = 1;
    f += 0.5, f *= 4, f -= 1, f /= 2;
    printf("%f\n", f);
    *at(1) += 5, *at(0) -= *at(2), *at(2) <<= 2;
    printf("%d %d %d %d\n", list[0], list[1], list[2], calls);
    int *p = list;
    p += 2, p -= 1;
    *p++ *= 2;
    printf("%d %d\n", list[1], (int)(p - list));
    int a, b = 2;
    a = b += 3;
    printf("%d %d\n", a, b);
    return 0;
}
