// Checks variable-length arrays: two dimensions, parameters, sizeof, lifetime in loops, goto out.
int printf(const char *, ...);

static int sum(int rows, int columns, int m[rows][columns])
{
    int s = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            s = s * 3 + m[i][j];
    return s + (int)sizeof m[0];
}

static int triangle(int n)
{
    int t[n + 1][n + 1];
    for (int i = 0; i <= n; i++) {
        t[i][0] = t[i][i] = 1;
        for (int j = 1; j < i; j++)
            t[i][j] = t[i - 1][j - 1] + t[i - 1][j];
    }
    return t[n][n / 2];
}

int main(void)
{
    int r = 2, c = 3;
    int m[r][c];
    for (int i = 0; i < r * c; i++)
        m[i / c][i % c] = i;
    printf("%d %d %d\n", (int)sizeof m, (int)sizeof m[0], (int)sizeof m[0][0]);
    printf("%d\n", sum(r, c, m));
    r = 50, c = 60;
    printf("%d %d\n", (int)sizeof m, m[1][2]);
    int (*p)[3] = m;
    p++;
    printf("%d %d\n", (*p)[0], (int)(&m[1] - m));
    for (int i = 1; i < 10; i += 4)
        printf("%d ", triangle(i));
    printf("\n");
    int total = 0;
    for (int i = 1; i <= 100; i++) {
        char big[i * 1000];
        big[i * 1000 - 1] = i;
        total += big[i * 1000 - 1] + (sizeof big > 50000);
    }
    printf("%d\n", total);
    int tries = 0;
again: {
    int w[++tries][2];
    w[tries - 1][1] = tries;
    if (w[tries - 1][1] < 4)
        goto again;
    printf("%d %d\n", tries, (int)sizeof w);
}
    typedef char line[tries];
    tries = 9;
    line l, two[2];
    printf("%d %d\n", (int)sizeof l, (int)sizeof two);
    int (*heap)[tries] = (int (*)[tries])m;
    printf("%d\n", (int)((char *)(heap + 1) - (char *)heap));
    return 0;
}
