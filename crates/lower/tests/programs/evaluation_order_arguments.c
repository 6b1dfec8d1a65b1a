// Checks that arguments are evaluated from right to left, after the function expression.
int printf(const char *, ...);

static int trace;
static int f(int n) { trace = trace * 10 + n; return n; }
static int show(int a, int b, int c, int d) { return a * 1000 + b * 100 + c * 10 + d; }
static int (*choose(int n))(int, int, int, int) { f(n); return show; }
struct s { int n; };
static struct s make(int n) { f(n); return (struct s){n}; }
static int records(struct s a, int b, struct s c) { return a.n * 100 + b * 10 + c.n; }
static double reals(double a, float b, int c) { return a * 100 + b * 10 + c; }
static int variadic(int n, ...) { return n; }

#define TRACE(e) do { trace = 0; int r = (e); printf("%d %d\n", r, trace); } while (0)

int main(void)
{
    int (*table[])(int, int, int, int) = {show, show};
    TRACE(show(f(1), f(2), f(3), f(4)));
    TRACE(choose(5)(f(1), f(2), f(3), f(4)));
    TRACE(table[f(1)](f(2), f(3), f(4), f(5)));
    TRACE(show(f(1), show(f(2), f(3), f(4), f(5)), f(6), f(7)));
    TRACE(records(make(1), f(2), make(3)));
    TRACE((int)reals(f(1), f(2), f(3)));
    TRACE(variadic(f(1), f(2), make(3), (long long)f(4)));
    TRACE(show(f(1) + f(2), f(3) ? f(4) : f(5), (f(6), f(7)), f(8) && f(9)));
    int n = 1;
    TRACE(show(n, f(2), n + 1, trace));
    trace = 0;
    printf("%d %d %d\n", f(1), f(2), f(3));
    printf("%d\n", trace);
    trace = 0;
    printf("%d %d\n", trace, f(3));
    printf("%d %d\n", f(4), trace);
    int list[3] = {f(1), f(2), f(3)};
    printf("%d %d\n", trace, list[1]);
    return 0;
}
