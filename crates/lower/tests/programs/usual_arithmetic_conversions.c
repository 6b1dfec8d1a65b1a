// Checks which type a binary operator works in when its operands have different types.
int printf(const char *, ...);

#define KIND(e) _Generic((e), int: "int", unsigned: "unsigned", long: "long", \
    unsigned long: "unsigned long", long long: "long long", unsigned long long: "unsigned long long", \
    float: "float", double: "double", long double: "long double", default: "other")

int main(void)
{
    char c = 1;
    short s = 2;
    int i = -1;
    unsigned u = 1;
    long l = -1;
    unsigned long ul = 1;
    long long ll = -1;
    unsigned long long ull = 1;
    float f = 1.5f;
    printf("%s %s %s\n", KIND(c + c), KIND(c + s), KIND(c + u));
    printf("%s %s %s\n", KIND(i + u), KIND(u + l), KIND(l + ul));
    printf("%s %s %s\n", KIND(u + ll), KIND(ul + ll), KIND(ll + ull));
    printf("%s %s %s\n", KIND(i + f), KIND(ull + f), KIND(f + 1.0));
    printf("%s %s %s\n", KIND(c << ll), KIND(u << l), KIND(l << c));
    printf("%s %s %s\n", KIND(1 ? i : u), KIND(0 ? c : ull), KIND(c == ull));
    printf("%s %s\n", KIND(-u), KIND(~ul));
    printf("%d %d %d\n", i < u, l < (long)u, ll < u);
    printf("%d %d\n", i < ul, ll < ull);
    printf("%lld %lld\n", (long long)(i + u), (long long)(i * u));
    printf("%lld\n", (long long)(l * u));
    printf("%lld\n", (long long)(l / u) == -1 ? 1LL : 2LL);
    printf("%llu %llu\n", (unsigned long long)(i / 2u), (unsigned long long)(ll / 2u));
    printf("%lld\n", 1 ? (long long)(0 ? 0u : -1) : 0);
    printf("%f %f\n", i + f, u * f);
    return 0;
}
