// Checks function pointers: tables, records of them, returned, compared, called in every spelling.
int printf(const char *, ...);

typedef int (*binary)(int, int);
static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int multiply(int a, int b) { return a * b; }
static void nothing(void) { }
static char narrow(unsigned char c) { return c; }

static const struct { char name; binary f; } table[] = {{'+', add}, {'-', &subtract}, {'*', *multiply}};
static binary (*picker)(char);
static binary pick(char c)
{
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].name == c)
            return table[i].f;
    return 0;
}
static int fold(binary f, const int *list, int n) { return n == 1 ? *list : f(fold(f, list, n - 1), list[n - 1]); }
static int apply(int f(int, int), int n) { return f(n, n); }
struct operations { int (*get)(void *self); void (*set)(void *self, int); };
struct object { const struct operations *ops; int n; };
static int get(void *self) { return ((struct object *)self)->n; }
static void set(void *self, int n) { ((struct object *)self)->n = n; }
static const struct operations plain = {get, .set = set};

int main(void)
{
    int list[] = {10, 3, 2};
    for (int i = 0; i < 3; i++)
        printf("%d ", fold(table[i].f, list, 3));
    printf("\n");
    picker = pick;
    printf("%d %d %d\n", pick('+')(1, 2), (*picker)('-')(1, 2), (**pick('*'))(3, 4));
    printf("%d %d\n", pick('/') == 0, pick('+') == add);
    printf("%d %d\n", apply(add, 4), apply(&multiply, 5));
    struct object o = {&plain, 6};
    o.ops->set(&o, o.ops->get(&o) * 7);
    printf("%d\n", o.n);
    binary local[2][2] = {{add, subtract}, {multiply, 0}}, *p = local[0];
    printf("%d %d\n", p[1](9, 4), (*local[1])(9, 4));
    printf("%d\n", local[1][1] ? 1 : 2);
    void (*v)(void) = nothing;
    v(), (*v)(), (***v)();
    v = (void (*)(void))add;
    printf("%d\n", ((binary)v)(20, 22));
    printf("%d\n", narrow(200));
    char (*n)(unsigned char) = narrow;
    printf("%d %d\n", n(200), n(511));
    int (*(*nested)(binary, const int *, int)) = 0;
    printf("%d\n", (list[0] > 5 ? add : subtract)(1, 1) + !nested);
    return 0;
}
