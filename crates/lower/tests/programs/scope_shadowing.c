// Checks scopes of names, tags, labels and typedefs: shadowing, for clauses, parameters, prototypes.
int printf(const char *, ...);

typedef int T;
enum { CONST = 1 };
struct s { int a; };
static int x = 1;

static int parameter(int x) { { int x = 2; x++; } return x; }
static T typedef_name(T T) { return T + 1; }
static int tag(void)
{
    struct s outer = {1};
    struct s { char a[3]; };
    struct s inner = {"ab"};
    return (int)sizeof inner * 10 + outer.a;
}
static int labels(int n)
{
    int same = n;
    if (same) goto same;
    return 0;
same:
    return same;
}
static int member(void)
{
    struct same { int same; struct { int same; } inner; } same = {1, {2}};
    return same.same * 10 + same.inner.same;
}

int main(void)
{
    printf("%d ", x);
    int y = x;
    int x = y + 1;
    printf("%d ", x);
    {
        int x = 10;
        { extern int printf(const char *, ...); printf("%d ", x); }
        for (int x = 0; x < 2; x++) {
            int x = 7;
            printf("%d ", x);
        }
        if (x) { int x = 20; printf("%d ", x); } else { int x = 30; printf("%d ", x); }
        x++;
        printf("%d ", x);
    }
    printf("%d\n", x);
    printf("%d %d %d %d %d\n", parameter(5), typedef_name(6), tag(), labels(8), member());
    {
        enum { CONST = 2 };
        typedef char T;
        printf("%d %d\n", CONST, (int)sizeof(T));
        { T T = 3; printf("%d\n", T + (int)sizeof T); }
    }
    printf("%d %d\n", CONST, (int)sizeof(T));
    int f = 0;
    { int f(void); f(); }
    for (int i = 0, n = 3; i < n; i++) { int n = i; f += n; }
    printf("%d\n", f);
    int self = sizeof self;
    return self - 4;
}

int f(void) { return printf("called\n"); }
