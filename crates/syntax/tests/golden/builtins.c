int bits(unsigned x, unsigned long y, unsigned long long z)
{
    return __builtin_clz(x) + __builtin_ctzl(y) + __builtin_popcountll(z) + __builtin_parity(x)
        + __builtin_ffs(x) + __builtin_clrsb(x) + __builtin_bswap16(x) + __builtin_bswap64(z);
}
_Bool overflow(int a, unsigned char b, long c)
{
    unsigned long r;
    short s;
    return __builtin_add_overflow(a, b, &r) | __builtin_sub_overflow(a, c, &s)
        | __builtin_mul_overflow_p(a, c, (int) 0) | __builtin_smul_overflow(a, a, &a);
}
double floats(double x, float f)
{
    int n = __builtin_isnan(x) + __builtin_isinf(x) + __builtin_isfinite(f) + __builtin_isnormal(x)
        + __builtin_signbit(x) + __builtin_isinf_sign(x) + __builtin_isunordered(x, f)
        + __builtin_islessgreater(x, f) + __builtin_isgreater(x, f)
        + __builtin_fpclassify(0, 1, 2, 3, 4, x);
    return __builtin_fabs(x) + __builtin_copysign(x, -1.0) + __builtin_inf() + __builtin_nan("") + n;
}
void *others(int n, char *p)
{
    if (__builtin_expect(n, 0)) __builtin_unreachable();
    if (__builtin_constant_p(n) || __builtin_constant_p(3)) __builtin_trap();
    __builtin_prefetch(p);
    n = __builtin_object_size(p, 0) + __builtin_object_size(p, 2) + sizeof(int);
    n = __builtin_types_compatible_p(int, long) + __builtin_choose_expr(1, n, p)
        + _Generic(n, int: 1, default: 2) + __builtin_offsetof(struct { int a, b[3]; }, b[2]);
    return n ? __builtin_alloca(n) : __builtin_return_address(0);
}
