// Checks _Generic: selection by type after decay, qualifiers, default, operands not evaluated.
int printf(const char *, ...);

#define NAME(e) _Generic((e), \
    char: "char", signed char: "signed char", unsigned char: "unsigned char", short: "short", \
    unsigned short: "unsigned short", int: "int", unsigned: "unsigned", long: "long", unsigned long: "unsigned long", \
    long long: "long long", unsigned long long: "unsigned long long", float: "float", double: "double", \
    long double: "long double", _Bool: "bool", char *: "char *", const char *: "const char *", \
    void *: "void *", int *: "int *", int (*)(int): "function", struct s: "struct s", default: "other")

struct s { int n; unsigned b : 3; };
static int f(int n) { return n; }
static int pick_int(int n) { return n * 2; }
static double pick_double(double d) { return d / 2; }
#define pick(x) _Generic((x), int: pick_int, double: pick_double)(x)
_Static_assert(_Generic(1, int: 1, default: 0), "int");
_Static_assert(sizeof(int) == 4 && (char)-1 < 0, "the data model");

int main(void)
{
    char c = 1;
    const int k = 1;
    int list[2], n = 0;
    struct s s = {1, 2};
    _Static_assert(sizeof list == 8);
    printf("%s %s %s %s\n", NAME(c), NAME((signed char)c), NAME('a'), NAME(c + c));
    printf("%s %s %s %s\n", NAME(k), NAME(list), NAME("text"), NAME((const char *)0));
    printf("%s %s %s %s\n", NAME(1.0f), NAME(1.0), NAME(1.0L), NAME(1 == 1));
    printf("%s %s %s %s\n", NAME((_Bool)1), NAME(&n), NAME((void *)0), NAME(f));
    printf("%s %s %s\n", NAME(s), NAME(&s), NAME(s.n));
    printf("%s %s %s\n", NAME(1u), NAME(1ll), NAME((short)1));
    printf("%s %s\n", NAME(1 ? c : 1u), NAME((char)1 ? (void *)&n : &n));
    printf("%s %d\n", NAME(n++), n);
    printf("%d %f\n", pick(4), pick(5.0));
    printf("%d\n", _Generic(n, int: n = 6, default: n = 7));
    _Generic(n, int: n) = 8;
    printf("%d\n", n);
    return 0;
}
