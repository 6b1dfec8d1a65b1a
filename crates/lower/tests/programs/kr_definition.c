// Checks old-style function definitions: promoted arguments, default int, arrays and functions.
int printf(const char *, ...);

static int add(a, b)
int a, b;
{
    return a + b;
}

static narrow(c, s, f)
char c;
unsigned short s;
float f;
{
    return c + s + (int)(f * 4);
}

static untyped(x, y) { return x * y; }

static int array(list, n, f)
int list[], n;
int (*f)();
{
    int r = 0;
    while (n--)
        r = f(r, list[n]);
    return r;
}

struct s { int a, b; };
static struct s record(s, by)
struct s s;
long long by;
{
    s.a += by;
    return s;
}

static int no_parameters() { return 9; }

static double order(b, a)
double a;
int b;
{
    return a / b;
}

int main(argc, argv)
int argc;
char **argv;
{
    int list[] = {1, 2, 3};
    printf("%d %d\n", add(1, 2), add('a', 1));
    printf("%d\n", narrow(300, 70000, 0.75));
    printf("%d\n", narrow(-1, -1, 1.5f));
    printf("%d\n", untyped(6, 7));
    printf("%d\n", array(list, 3, add));
    printf("%d %d\n", record((struct s){1, 2}, 1LL << 32).a, record((struct s){1, 2}, 5LL).a);
    printf("%d\n", no_parameters());
    printf("%f\n", order(4, 1.0));
    int (*p)() = untyped;
    printf("%d\n", p(3, 4));
    return argc - 1;
}
