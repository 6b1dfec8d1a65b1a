// Checks offsetof with nested members, elements, variable subscripts and the null-pointer idiom.
int printf(const char *, ...);
#define offsetof(t, m) __builtin_offsetof(t, m)
#define container_of(p, t, m) ({ const typeof(((t *)0)->m) *q = (p); (t *)((char *)q - offsetof(t, m)); })

struct inner { char c; long long x[3]; };
struct s { char a; short b; struct inner in[4]; union { int u; char v[9]; } w; char last[]; };
struct list { struct list *next; };
struct item { int key; struct list link; int value; };

static int constant[offsetof(struct s, in[1].x[2])];
enum { WHERE = offsetof(struct s, w.v) };

int main(void)
{
    printf("%d %d %d\n", (int)offsetof(struct s, b), (int)offsetof(struct s, in), (int)offsetof(struct s, w));
    printf("%d %d\n", (int)offsetof(struct s, in[2].x[1]), (int)offsetof(struct s, w.v[3]));
    printf("%d %d\n", (int)offsetof(struct s, last), (int)sizeof(struct s));
    printf("%d %d\n", (int)sizeof constant, WHERE);
    for (int i = 0; i < 3; i++)
        printf("%d ", (int)offsetof(struct s, in[i].x[i]));
    printf("\n%d %d\n", (int)(unsigned long)&((struct s *)0)->in[3].c, (int)((char *)&((struct s *)0)->w - (char *)0));
    printf("%d\n", (int)sizeof(((struct s *)0)->in));
    struct item a = {1, {0}, 10}, b = {2, {&a.link}, 20};
    struct item *p = container_of(b.link.next, struct item, link);
    printf("%d %d\n", p->key, p->value);
    int sum = 0;
    for (struct list *l = &b.link; l; l = l->next)
        sum = sum * 10 + container_of(l, struct item, link)->key;
    printf("%d\n", sum);
    int *value = &b.value;
    container_of(value, struct item, value)->key = 7;
    printf("%d\n", b.key);
    switch (sizeof(int)) {
    case offsetof(struct item, link) - 4: printf("zero\n"); break;
    default: printf("%d\n", (int)offsetof(struct item, link));
    }
    return 0;
}
