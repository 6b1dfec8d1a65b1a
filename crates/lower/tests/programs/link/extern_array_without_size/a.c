// Checks an array declared without size here and defined with one in the other unit.
int printf(const char *, ...);
extern int list[];
extern const char *const names[];
extern char text[];
extern int grid[][3];
extern const int length;
int sum(void);

int main(void)
{
    int s = 0;
    for (int i = 0; i < length; i++)
        s = s * 10 + list[i];
    printf("%d\n", s);
    list[length - 1] = 9;
    printf("%d\n", sum());
    for (const char *const *n = names; *n; n++)
        printf("%s ", *n);
    text[0] = 'T';
    printf("%s %d\n", text, grid[1][2]);
    int *p = &list[1];
    printf("%d %d\n", p[1], (int)(&grid[1][0] - &grid[0][0]));
    return 0;
}
