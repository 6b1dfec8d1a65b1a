// Checks the overflow-checking builtins: result type differs from operands, each width and sign.
int printf(const char *, ...);

int main(void)
{
    int i;
    unsigned u;
    signed char c;
    unsigned char b;
    short s;
    long long ll;
    unsigned long long ull;
    int max = 2147483647;
    int o;
    o = __builtin_add_overflow(max, 1, &i), printf("%d %d\n", o, i);
    o = __builtin_add_overflow(max, 1, &u), printf("%d %u\n", o, u);
    o = __builtin_add_overflow(max, 1, &ll), printf("%d %lld\n", o, ll);
    o = __builtin_add_overflow(100, 27, &c), printf("%d %d\n", o, c);
    o = __builtin_add_overflow(100, 28, &c), printf("%d %d\n", o, c);
    o = __builtin_add_overflow(-1, 4294967295u, &u), printf("%d %u\n", o, u);
    o = __builtin_sub_overflow(0u, 1u, &u), printf("%d %u\n", o, u);
    o = __builtin_sub_overflow(0u, 1u, &i), printf("%d %d\n", o, i);
    o = __builtin_sub_overflow(-max - 1, 1, &i), printf("%d %d\n", o, i);
    o = __builtin_sub_overflow(3, 4, &b), printf("%d %d\n", o, b);
    o = __builtin_mul_overflow(65536, 65536, &i), printf("%d %d\n", o, i);
    o = __builtin_mul_overflow(65536, 65536, &ll), printf("%d %lld\n", o, ll);
    o = __builtin_mul_overflow(-1, max, &i), printf("%d %d\n", o, i);
    o = __builtin_mul_overflow(256, 128, &s), printf("%d %d\n", o, s);
    o = __builtin_mul_overflow(1ll << 62, 2, &ll), printf("%d %lld\n", o, ll);
    o = __builtin_mul_overflow(1ll << 62, 2, &ull), printf("%d %llu\n", o, ull);
    o = __builtin_mul_overflow(1ull << 63, 2, &ull), printf("%d %llu\n", o, ull);
    o = __builtin_add_overflow(~0ull, 1, &ull), printf("%d %llu\n", o, ull);
    o = __builtin_add_overflow(~0ull, -1, &ull), printf("%d %llu\n", o, ull);
    o = __builtin_sadd_overflow(max, max, &i), printf("%d %d\n", o, i);
    o = __builtin_usub_overflow(1u, 2u, &u), printf("%d %u\n", o, u);
    o = __builtin_smulll_overflow(-3, 5, &ll), printf("%d %lld\n", o, ll);
    o = __builtin_umulll_overflow(~0ull, 2, &ull), printf("%d %llu\n", o, ull);
    printf("%d %d\n", __builtin_add_overflow_p(max, 1, 0), __builtin_mul_overflow_p(max, 1, (char)0));
    return 0;
}
