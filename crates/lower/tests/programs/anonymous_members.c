// Checks anonymous structures and unions inside records, their layout and initialisation.
int printf(const char *, ...);

struct node {
    int kind;
    union {
        struct { int left, right; };
        struct { short a, b, c, d; };
        long long both;
        char text[8];
    };
    struct {
        union { int inner; unsigned char byte; };
        int last;
    };
};

struct point { int x, y; };
struct tagged { struct point p; union { int n; float f; } u; struct { struct { int deep; }; }; };

int main(void)
{
    struct node n = {1, {{2, 3}}, {{4}, 5}};
    printf("%d %d %d %d %d\n", n.kind, n.left, n.right, n.inner, n.last);
    printf("%d %d %d %d %llx\n", n.a, n.b, n.c, n.d, n.both);
    n.a = -1;
    n.byte = 200;
    printf("%d %d\n", n.left, n.inner);
    struct node m = {.last = 9, .both = 0x100000002LL, .kind = 7, .byte = 1};
    printf("%d %d %d %d %d\n", m.kind, m.left, m.right, m.inner, m.last);
    struct node t = {.text = "abc", .inner = 3};
    printf("%s %x %d\n", t.text, t.left, t.inner);
    printf("%d %d\n", (int)__builtin_offsetof(struct node, last), (int)__builtin_offsetof(struct node, b));
    struct node *p = &t;
    p->text[3] = 'd';
    p->left++;
    printf("%s\n", p->text);
    int *q = &p->inner;
    *q = 0x1ff;
    printf("%d\n", p->byte);
    struct tagged g = {{1, 2}, {3}, {{4}}};
    printf("%d %d %d %d\n", g.p.x, g.p.y, g.u.n, g.deep);
    struct tagged h = {1, 2, 3, 4};
    printf("%d %d\n", h.deep, h.u.n);
    return 0;
}
