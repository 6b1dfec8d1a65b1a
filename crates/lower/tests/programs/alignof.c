// Checks alignment of types and objects in both data models, with attributes and _Alignas.
int printf(const char *, ...);

struct ll { char c; long long x; };
struct d { char c; double x; };
struct p { char c; void *x; };
struct s { char c; struct { short a; char b; } x; };
struct i { char c; _Alignas(16) int x; };
union u { char c[5]; short s; };
struct packed { char c; int n; } __attribute__((packed));

#define A(t) (int)_Alignof(t)
#define S(t) (int)sizeof(t)

int main(void)
{
    printf("%d %d %d %d\n", A(char), A(short), A(int), A(float));
    printf("%d %d %d %d\n", A(long), A(long long), A(double), A(void *));
    printf("%d %d %d %d\n", A(struct ll), A(struct d), A(struct p), A(struct s));
    printf("%d %d %d %d\n", S(struct ll), S(struct d), S(struct p), S(struct s));
    printf("%d %d %d\n", A(struct i), S(struct i), A(struct packed));
    printf("%d %d\n", A(union u), S(union u));
    printf("%d %d\n", A(int[7]), A(struct ll[2]));
    printf("%d %d\n", (int)__alignof__(long long), (int)__alignof__(double));
    struct ll x;
    printf("%d %d\n", (int)__alignof__(x.x), (int)__alignof__(x));
    _Alignas(64) static char buffer[3];
    _Alignas(32) int local = 4;
    int attributed __attribute__((aligned(128))) = 5;
    printf("%d %d %d\n", (int)((__UINTPTR_TYPE__)buffer % 64), (int)((__UINTPTR_TYPE__)&local % 32), (int)((__UINTPTR_TYPE__)&attributed % 128));
    printf("%d %d %d\n", (int)__alignof__(buffer), (int)__alignof__(local), (int)__alignof__(attributed));
    printf("%d %d\n", (int)sizeof buffer, local + attributed);
    _Alignas(double) char raw[sizeof(double)];
    *(double *)raw = 2.5;
    printf("%f\n", *(double *)raw);
    printf("%d\n", (int)__BIGGEST_ALIGNMENT__);
    return 0;
}
