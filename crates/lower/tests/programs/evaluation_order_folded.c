// Checks gcc's order where folding makes a call or a variable appear.
// known-bad: both the order is that of the expression as written
int printf(const char *, ...);

static int trace, list[10], global;
static int f(int n) { trace = trace * 10 + n; return n; }
static int *p(int n) { trace = trace * 10 + n; return &list[n]; }
static int change(int n) { global = n; return 1; }

int main(void)
{
    *p(1) = f(2) + 0;
    printf("%d\n", trace);
    global = 5;
    int sum = (global + 0) + change(7);
    printf("%d\n", sum);
    global = 5;
    sum = (long long)global + change(7);
    printf("%d\n", sum);
    return 0;
}
