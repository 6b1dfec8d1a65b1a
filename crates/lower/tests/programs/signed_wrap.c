// Checks that signed arithmetic wraps at every width.
int printf(const char *, ...);

static int add(int a, int b) { return a + b; }
static long long multiply(long long a, long long b) { return a * b; }

int main(void)
{
    int max = 2147483647, min = -2147483647 - 1;
    long long big = 9223372036854775807LL, small = -9223372036854775807LL - 1;
    signed char c = 127;
    short s = 32767;
    printf("%d %d %d\n", add(max, 1), add(min, -1), add(max, max));
    printf("%d %d %d\n", max * max, min * min, max * min);
    printf("%d %d\n", -min, max + 1 < max);
    printf("%lld %lld\n", big + 1, small - 1);
    printf("%lld %lld\n", multiply(big, 3), multiply(small, -1));
    printf("%lld\n", -small);
    c++, s++;
    printf("%d %d\n", c, s);
    c--, s--;
    printf("%d %d\n", c, s);
    max++;
    printf("%d\n", max);
    max--;
    printf("%d\n", max);
    max += 10;
    min -= 10;
    printf("%d %d\n", max, min);
    int x = 65536;
    x *= x;
    printf("%d\n", x);
    x = 46341;
    x *= 46341;
    printf("%d\n", x);
    unsigned seed = 1;
    int mixed = 1;
    for (int i = 0; i < 20; i++) {
        mixed = mixed * 1103515245 + 12345;
        seed = seed * 1103515245u + 12345u;
    }
    printf("%d %d\n", mixed, mixed == (int)seed);
    return 0;
}
