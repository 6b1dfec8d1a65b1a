// Checks that sizes of variable-length arrays are evaluated once, in order, where declared.
int printf(const char *, ...);

static int calls;
static int next(void) { return ++calls; }

static int parameter(int n, int a[n], int b[][next() + n]) { return calls * 100 + (int)sizeof *b; }

static int walk(int n, char text[const n])
{
    char copy[n];
    for (int i = 0; i < n; i++)
        copy[n - 1 - i] = text[i];
    return copy[0] - copy[n - 1];
}

int main(void)
{
    char a[next()][next() + 3];
    printf("%d %d %d\n", calls, (int)sizeof a, (int)sizeof *a);
    char (*p)[next() * 10] = 0;
    printf("%d %d\n", calls, (int)sizeof *p);
    int x[4] = {0}, y[4][9];
    printf("%d\n", parameter(1, x, y));
    printf("%d\n", walk(4, "adgz"));
    for (int i = 0; i < 3; i++) {
        short s[next()];
        s[0] = i;
        printf("%d ", (int)sizeof s);
    }
    printf("%d\n", calls);
    int n = 2;
    int v[n], w[n *= 2];
    printf("%d %d %d\n", (int)sizeof v, (int)sizeof w, n);
    struct { int a; } s[n];
    for (int i = 0; i < n; i++)
        s[i].a = i * i;
    printf("%d %d\n", s[n - 1].a, (int)(sizeof s / sizeof *s));
    typeof(v) z;
    z[1] = 5;
    printf("%d %d\n", (int)sizeof z, z[1]);
    printf("%d\n", (int)sizeof(char[n][next()]));
    printf("%d\n", calls);
    return 0;
}
