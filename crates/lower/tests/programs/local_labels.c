// Checks labels declared with __label__, several uses of one macro, labels before declarations.
int printf(const char *, ...);

#define FIND(list, n, what) ({ \
    __label__ found; \
    int i; \
    for (i = 0; i < (n); i++) \
        for (int j = 0; j < 3; j++) \
            if ((list)[i][j] == (what)) \
                goto found; \
    i = -1; \
found: \
    i; })

int main(void)
{
    int grid[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    printf("%d %d %d\n", FIND(grid, 3, 5), FIND(grid, 3, 7), FIND(grid, 3, 10));
    int sum = 0;
    for (int k = 1; k < 10; k += 4)
        sum = sum * 10 + FIND(grid, 3, k);
    printf("%d\n", sum);
    int tries = 0;
    {
        __label__ again;
    again:
        tries++;
        if (tries < 3)
            goto again;
    }
    {
        __label__ again, end;
    again:
        if (tries++ < 8)
            goto again;
        goto end;
        tries = 0;
    end:;
    }
    printf("%d\n", tries);
    void *p = ({ __label__ here; here: &&outer; });
    goto *p;
    printf("never\n");
outer:
    return 0;
}
