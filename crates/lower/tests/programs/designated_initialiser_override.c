// Checks designators: order, override, ranges, nesting and continuing after a designator.
int printf(const char *, ...);

struct p { int a, b; };
struct s { int n; struct p p[3]; char name[4]; };

static int table[10] = {[3] = 1, 2, [1] = 3, 4, 5, [9] = 6, [3] = 7};
static int ranges[10] = {[0 ... 9] = 1, [2 ... 4] = 2, [4] = 3, 8};
static struct s one = {.p[1].b = 5, .p[1].a = 4, 6, .n = 1, {{7, 8}}, .name = "xy"};
static struct s two = {.p = {[0 ... 2] = {1, 2}}, .p[1].b = 9};
static int unsized[] = {[5] = 1, [2] = 3};
static int grid[3][3] = {[1] = {1, 2}, [0][2] = 5, 6, [2][0] = 7};
static char *words[] = {[2] = "c", [0] = "a", "b"};
static struct { int a, b, c; } old_style = {b: 2, a: 1};

static void show(const struct s *s)
{
    printf("%d", s->n);
    for (int i = 0; i < 3; i++)
        printf(" %d,%d", s->p[i].a, s->p[i].b);
    printf(" %d %d %d\n", s->name[0], s->name[1], s->name[3]);
}

int main(void)
{
    for (int i = 0; i < 10; i++)
        printf("%d %d ", table[i], ranges[i]);
    printf("\n");
    show(&one), show(&two);
    printf("%d %d %d\n", (int)(sizeof unsized / sizeof *unsized), unsized[2], unsized[5]);
    for (int i = 0; i < 9; i++)
        printf("%d ", grid[i / 3][i % 3]);
    printf("\n%s%s%s %d\n", words[0], words[1], words[2], (int)(sizeof words / sizeof *words));
    printf("%d %d %d\n", old_style.a, old_style.b, old_style.c);
    int k = 3;
    struct s local = {.p[2] = {k, k + 1}, .n = k * 2, .p[0].b = k, .name[1] = 'q'};
    show(&local);
    struct s again = {.n = 1, .n = 2, .p[0] = {5, 5}, .p[0] = {.a = 6}};
    show(&again);
    struct p base = {10, 20};
    struct s copy = {.p = {base, [2] = base}, .n = k};
    show(&copy);
    union { int n; char c[8]; } u = {.c = {[1] = 1}, };
    printf("%d\n", u.n);
    int list[] = {[0 ... 2] = k++, k};
    printf("%d %d %d %d\n", list[0], list[2], list[3], k);
    return 0;
}
