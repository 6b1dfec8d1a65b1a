// Checks that && || and ?: evaluate exactly the operands they should, once.
int printf(const char *, ...);

static int trace;
static int f(int n) { trace = trace * 10 + n; return n % 2; }
static void nothing(void) { trace = trace * 10 + 9; }

#define TRACE(e) do { trace = 0; int r = (e); printf("%d %d\n", r, trace); } while (0)

int main(void)
{
    TRACE(f(1) && f(2) && f(3));
    TRACE(f(1) && f(3) && f(5));
    TRACE(f(2) || f(4) || f(1));
    TRACE(f(1) || f(3));
    TRACE(f(1) && f(2) || f(3));
    TRACE(f(2) && (f(1) || f(3)));
    TRACE((f(2) || f(1)) && !f(4));
    TRACE(!(f(1) && f(3)) || !f(2));
    TRACE(f(1) ? f(2) ? 5 : 6 : f(4));
    TRACE(f(2) ? f(3) : f(4) ? 7 : 8);
    TRACE((f(1) && f(2)) + (f(3) || f(4)) * 10);
    TRACE((f(1) && f(3)) == (f(5) && f(7)));
    int i = 0, n;
    n = i++ && i++;
    printf("%d %d\n", n, i);
    n = i++ && i++;
    printf("%d %d\n", n, i);
    n = i-- || i--;
    printf("%d %d\n", n, i);
    i = 0;
    int *p = 0;
    printf("%d\n", p && *p);
    printf("%d\n", !p || *p);
    printf("%d\n", i != 0 && 10 / i > 1);
    trace = 0;
    f(1) && (nothing(), 0);
    f(2) || (nothing(), 1);
    f(2) ? nothing() : (void)f(4);
    printf("%d\n", trace);
    if (f(1) && (i = 5) && i == 5)
        printf("%d\n", i);
    while (i-- > 0 && f(i))
        ;
    printf("%d %d\n", i, trace);
    printf("%d %d\n", 0.5 && 1, 2 && 4);
    printf("%d\n", 1 || 0 && 0);
    return 0;
}
