// Checks the bit-counting and byte-swapping builtins at every width.
int printf(const char *, ...);

int main(void)
{
    unsigned long long values[] = {1, 0x80000000u, 0xf0f0, 0xffffffffu, 0x8000000000000000ull, 0x123456789abcdef0ull};
    for (int i = 0; i < 6; i++) {
        unsigned long long v = values[i];
        unsigned w = v | (v >> 32);
        unsigned long l = v | (v >> 32);
        printf("%d %d %d %d ", __builtin_clz(w), __builtin_ctz(w), __builtin_popcount(w), __builtin_parity(w));
        printf("%d %d %d ", __builtin_clzll(v), __builtin_ctzll(v), __builtin_popcountll(v));
        printf("%d %d %d ", __builtin_clzl(l), __builtin_ctzl(l), __builtin_popcountl(l));
        printf("%d %d %d ", __builtin_ffs(w), __builtin_ffsll(v), __builtin_parityll(v));
        printf("%d %d\n", __builtin_clrsb((int)w), __builtin_clrsbll(v));
    }
    printf("%d %d %d\n", __builtin_ffs(0), __builtin_ffsll(0), __builtin_popcount(0));
    printf("%x %x %llx\n", __builtin_bswap16(0x1234), __builtin_bswap32(0x12345678), (unsigned long long)__builtin_bswap64(values[5]));
    printf("%d %d\n", __builtin_abs(-5), (int)__builtin_labs(-6));
    printf("%lld\n", __builtin_llabs(-7000000000LL));
    printf("%ld\n", __builtin_expect(1 + 1, 0));
    int n = 0;
    printf("%d %d\n", __builtin_constant_p(3 * 4), __builtin_constant_p(n++));
    printf("%d\n", n);
    printf("%d\n", __builtin_choose_expr(sizeof(int) == 4, 11, "text"));
    printf("%d %d\n", __builtin_types_compatible_p(int, const int), __builtin_types_compatible_p(int, unsigned));
    enum { STATIC = __builtin_popcount(255) + __builtin_clz(1) };
    static int array[__builtin_ctz(8)];
    printf("%d %d\n", STATIC, (int)(sizeof array / sizeof *array));
    return 0;
}
