// Checks assignment of records: chains, self, overlap, through pointers, with padding members.
int printf(const char *, ...);

struct s { char c; int n; struct { short a[2]; } in; long long last; };

static struct s global = {'g', 1, {{2, 3}}, 4};
static int calls;

static struct s *pick(struct s *p) { calls++; return p; }
static void show(const struct s *p) { printf("%c %d %d %d %lld\n", p->c, p->n, p->in.a[0], p->in.a[1], p->last); }

int main(void)
{
    struct s a = global, b, c;
    b = c = a;
    b.n = 10;
    c.in.a[1] = 20;
    show(&a), show(&b), show(&c), show(&global);
    *pick(&b) = *pick(&c);
    show(&b);
    a = a;
    show(&a);
    struct s list[4] = {a, b};
    list[3] = list[0];
    list[0].last = -1;
    list[2] = (list[1] = list[0], list[3]);
    for (int i = 0; i < 4; i++)
        show(list + i);
    struct s *p = list;
    *p++ = list[2];
    show(list);
    show(p);
    b.in = list[3].in;
    show(&b);
    struct s t = a;
    a = b, b = t;
    show(&a), show(&b);
    printf("%d\n", (a = *pick(&c)).in.a[1]);
    show(&a);
    printf("%d %d\n", (a = b).n, calls);
    const struct s k = b;
    show(&k);
    return 0;
}
