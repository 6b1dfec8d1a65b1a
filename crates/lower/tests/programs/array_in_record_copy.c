// Checks that arrays inside records are copied with the record and not shared.
int printf(const char *, ...);
__SIZE_TYPE__ strlen(const char *);

struct grid { int cell[2][3]; char name[5]; };
struct holder { struct grid g[2]; int n; };

static void change(struct holder h) { h.g[1].cell[1][2] = -1; h.g[0].name[0] = 'X'; }
static struct holder changed(struct holder h) { h.g[1].cell[1][2] = -1; h.g[0].name[0] = 'X'; return h; }
static int sum(const struct grid *g)
{
    int s = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            s = s * 3 + g->cell[i][j];
    return s;
}

int main(void)
{
    struct holder a = {{{{{1, 2, 3}, {4, 5, 6}}, "abcd"}, {{{7}, {[1] = 8}}, "e"}}, 2};
    struct holder b = a;
    b.g[0].cell[0][0] = 100;
    b.g[0].name[1] = 0;
    printf("%d %d %s %s\n", sum(a.g), sum(b.g), a.g[0].name, b.g[0].name);
    change(a);
    printf("%d %s\n", sum(&a.g[1]), a.g->name);
    b = changed(a);
    printf("%d %d %s %s\n", sum(a.g + 1), sum(b.g + 1), a.g->name, b.g->name);
    a.g[0] = b.g[1];
    printf("%d %s %d\n", sum(a.g), a.g->name, (int)strlen(a.g->name));
    int (*row)[3] = a.g[1].cell;
    row[1][0] = 55;
    (*row)[2] = 66;
    printf("%d %d\n", a.g[1].cell[1][0], a.g[1].cell[0][2]);
    struct { int a[3]; } list[2] = {{{1, 2, 3}}, {{4, 5, 6}}}, t;
    t = list[0], list[0] = list[1], list[1] = t;
    printf("%d %d\n", list[0].a[2], list[1].a[2]);
    printf("%d\n", (int)sizeof(struct holder));
    return 0;
}
