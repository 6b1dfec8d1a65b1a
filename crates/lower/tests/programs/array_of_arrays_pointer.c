// Checks pointers to arrays, arrays of pointers and the stride of each level.
int printf(const char *, ...);

static int cube[2][3][4];
typedef int row_type[4];

static int sum(int m[][4], int rows)
{
    int s = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < 4; j++)
            s += m[i][j] * (i + 1);
    return s;
}

static int last(const row_type *r) { return (*r)[3]; }
static int (*plane(int i))[4] { return cube[i]; }

int main(void)
{
    int *flat = &cube[0][0][0];
    for (int i = 0; i < 24; i++)
        flat[i] = i;
    int (*p)[3][4] = cube;
    int (*q)[4] = cube[1];
    int *r = cube[1][2];
    int (*whole)[2][3][4] = &cube;
    printf("%d %d %d %d\n", p[1][2][3], q[1][1], r[2], (*whole)[0][1][2]);
    printf("%d %d %d\n", (int)sizeof *p, (int)sizeof *q, (int)sizeof *whole);
    p++, q++, r++;
    printf("%d %d %d\n", (*p)[0][0], (*q)[0], *r);
    printf("%d %d\n", (int)(p - cube), (int)(q - cube[0]));
    printf("%d %d\n", sum(cube[0], 3), sum(*(cube + 1), 2));
    printf("%d %d\n", last(&cube[1][1]), last(plane(0) + 2));
    printf("%d %d %d\n", **cube[1], *(*(cube[1] + 1) + 1), ***cube);
    printf("%d\n", 2[cube[1]][1]);
    printf("%d\n", (int)((char *)&cube[1] - (char *)&cube[0]));
    int a[] = {1, 2}, b[] = {3}, *ragged[] = {a, b, r};
    int **pp = ragged;
    printf("%d %d %d\n", pp[0][1], *pp[1], pp[2][-1]);
    *++*pp = 20;
    printf("%d %d\n", a[1], *ragged[0]);
    row_type copy[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    row_type *walk = copy;
    int total = 0;
    while (walk < copy + 2)
        total += (*walk++)[1];
    printf("%d\n", total);
    return 0;
}
