// Checks 128-bit integers: arithmetic, shifts, comparison, conversion.
// data-model: LP64
int printf(const char *, ...);

typedef unsigned __int128 u128;
typedef __int128 i128;

static void show(u128 n) { printf("%llx:%llx\n", (unsigned long long)(n >> 64), (unsigned long long)n); }

struct holder {
    char c;
    i128 n;
};

static i128 power(i128 base, int exponent) { return exponent ? base * power(base, exponent - 1) : 1; }

int main(void)
{
    u128 a = (u128)0xfedcba9876543210ull * 0xffffffffffffffffull;
    show(a);
    show(a + a);
    show(a - ((u128)1 << 100));
    show(a / 1000000007);
    show(a % ((u128)1 << 65 | 12345));
    show(-a);
    show(~a);
    show(a ^ (a >> 3));
    i128 b = -power(10, 30);
    show(b);
    show(b / 7);
    show(b % 1000000007);
    show(b >> 5);
    show((u128)b >> 5);
    show(b << 20);
    printf("%d %d %d\n", b < 0, a < (u128)b, b == -power(10, 30));
    printf("%lld %lld\n", (long long)(b / power(10, 20)), (long long)(int)b);
    printf("%d %d\n", (int)sizeof(a), (int)__builtin_offsetof(struct holder, n));
    printf("%f %d\n", (double)(b / 1000), (int)(i128)-12.75);
    struct holder h = {1, 5};
    h.n += 1;
    h.n *= -h.n;
    h.n--;
    show(h.n);
    for (int i = 0; i < 128; i += 31)
        show((u128)3 << i);
    show((i128)-1);
    show((unsigned)-1);
    switch ((int)(a >> 127)) {
    case 1: printf("top\n"); break;
    default: printf("no top\n");
    }
    return !!(a >> 120);
}
