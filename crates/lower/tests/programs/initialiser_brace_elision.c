// Checks initialisers with missing and extra braces, commas and sizes taken from the initialiser.
int printf(const char *, ...);

struct p { int x, y; };
struct line { struct p from, to; int colour; };
struct s { char c; struct p a[2]; union { int n; char b; } u; int last; };

static int flat[2][3] = {1, 2, 3, 4, 5};
static int mixed[][2] = {1, 2, {3}, 4, 5, {6, 7},};
static struct line lines[] = {1, 2, 3, 4, 5, {{6}, 7, 8, 9}, {10, 11, {12}}};
static struct s s = {'a', 1, 2, 3, 4, 5, 6};
static char words[][4] = {"abc", "de", {'f'}, {"g"}};
static char brace[] = {"braced"};
static int deep[2][2][2] = {{{1}, 2, 3}, {{4, 5}, {6}}};

int main(void)
{
    for (int i = 0; i < 6; i++)
        printf("%d ", flat[i / 3][i % 3]);
    printf("\n%d:", (int)(sizeof mixed / sizeof *mixed));
    for (unsigned i = 0; i < sizeof mixed / sizeof **mixed; i++)
        printf(" %d", mixed[i / 2][i % 2]);
    printf("\n");
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        printf("%d %d %d %d %d\n", lines[i].from.x, lines[i].from.y, lines[i].to.x, lines[i].to.y, lines[i].colour);
    printf("%c %d %d %d %d %d %d\n", s.c, s.a[0].x, s.a[0].y, s.a[1].x, s.a[1].y, s.u.n, s.last);
    printf("%s %s %s %s %d\n", words[0], words[1], words[2], words[3], (int)sizeof words);
    printf("%s %d\n", brace, (int)sizeof brace);
    for (int i = 0; i < 8; i++)
        printf("%d ", deep[i / 4][i / 2 % 2][i % 2]);
    printf("\n");
    struct p base = {7, 8};
    struct line local = {base, 1, 2, 3};
    printf("%d %d %d %d %d\n", local.from.x, local.from.y, local.to.x, local.to.y, local.colour);
    struct line list[] = {local, {base, base}, base, 4, 5, 6};
    printf("%d %d %d %d\n", (int)(sizeof list / sizeof *list), list[1].to.y, list[2].from.x, list[2].colour);
    return 0;
}
