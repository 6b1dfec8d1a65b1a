// Checks that initialisers are evaluated in the order of what they initialise, overridden ones not at all.
int printf(const char *, ...);

static int trace;
static int f(int n) { trace = trace * 10 + n; return n; }
struct s { int a, b, c[2]; };

int main(void)
{
    struct s x = {.b = f(2), .c[1] = f(4), .a = f(1), .c[0] = f(3)};
    printf("%d %d %d\n", trace, x.a, x.c[1]);
    trace = 0;
    int y[3] = {[2] = f(1), [0] = f(2), f(3)};
    printf("%d %d %d %d\n", trace, y[0], y[1], y[2]);
    trace = 0;
    int z[3] = {[1] = f(1), [1] = f(2)};
    printf("%d %d\n", trace, z[1]);
    trace = 0;
    int r[5] = {[0 ... 4] = f(3), [2] = f(1)};
    printf("%d %d %d %d\n", trace, r[1], r[2], r[4]);
    return 0;
}
