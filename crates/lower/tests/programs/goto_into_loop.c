// Checks goto into and out of loops, blocks and branches, backwards and over declarations.
int printf(const char *, ...);

static int into(int n)
{
    int i = 10, sum = 0;
    if (n)
        goto inside;
    for (i = 0; i < 15; i++) {
        sum += i;
    inside:
        sum += 100;
    }
    return sum;
}

static int find(int grid[3][3], int what)
{
    int i, j;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            if (grid[i][j] == what)
                goto found;
    return -1;
found:
    return i * 10 + j;
}

static int cleanup(int fail)
{
    int r = 0;
    if (fail == 1) goto one;
    r += 1;
    if (fail == 2) goto two;
    r += 10;
    if (fail == 3) { goto three; }
    return r;
three: r += 1000;
two: r += 2000;
one: r += 4000;
    return r;
}

int main(void)
{
    int grid[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    printf("%d %d\n", into(0), into(1));
    printf("%d %d %d\n", find(grid, 6), find(grid, 1), find(grid, 0));
    for (int i = 0; i < 4; i++)
        printf("%d ", cleanup(i));
    printf("\n");
    int n = 0;
back:
    n++;
    if (n < 5)
        goto back;
    printf("%d\n", n);
    goto over;
    {
        int x;
        printf("never\n");
    over:
        x = n * 2;
        printf("%d\n", x);
    }
    if (n > 100) {
    branch:
        printf("branch %d\n", n);
        n = 0;
    } else if (n) {
        goto branch;
    }
    while (n < 3) {
        int fresh = n;
        n++;
        if (fresh == 1)
            goto end;
    again: ;
    }
end:
    printf("%d\n", n);
    if (n++ == 2)
        goto again;
    return n - 4;
}
