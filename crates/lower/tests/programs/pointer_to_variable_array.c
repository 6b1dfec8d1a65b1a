// Checks that the lengths in a pointer's type are evaluated once, where it is declared or converted.
int printf(const char *, ...);

static int declared(int n, int p[n][n + 1])
{
    int (*q)[n + 1] = p + 1;
    n = 0;
    return (*q)[0] * 100 + q[-1][1] * 10 + (int)(&p[1] - p);
}

static int converted(int *p, int n)
{
    int r = (*(int (*)[n++])p)[1];
    return r * 10 + n;
}

static int calls;
static int next(void) { return ++calls; }

int main(void)
{
    int m[2][3] = {{1, 2, 3}, {4, 5, 6}};
    printf("%d\n", declared(2, m));
    printf("%d\n", converted(m[0], 3));
    char (*p)[next() + 1] = 0;
    printf("%d %d\n", (int)sizeof *p, calls);
    static int (*s)[2];
    s = (int (*)[2])m;
    printf("%d\n", s[1][1]);
    return 0;
}
