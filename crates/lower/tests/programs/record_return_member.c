// Checks using a member or an element of a returned record directly.
int printf(const char *, ...);

struct inner { short s[3]; int n; };
struct outer { char tag; struct inner in; unsigned bits : 5; char name[6]; };

static int calls;

static struct outer make(int n)
{
    struct outer o = {'t', {{n, n + 1, n + 2}, n * 10}, n, "name"};
    calls++;
    o.name[0] += n;
    return o;
}

static struct inner *at(struct outer *o) { return &o->in; }

int main(void)
{
    int i = 2;
    printf("%d %c\n", make(1).in.n, make(2).tag);
    printf("%d %d\n", make(3).in.s[2], make(4).in.s[i - 1]);
    printf("%d\n", make(33).bits);
    printf("%s %c\n", make(1).name, *make(2).name);
    printf("%d\n", make(5).in.n + make(6).in.s[0]);
    struct inner in = make(8).in;
    printf("%d %d\n", in.n, in.s[1]);
    struct outer o;
    printf("%d\n", (o = make(9)).in.n);
    printf("%d %d\n", o.in.s[1], (make(10), o).in.n);
    at(&o)->n = 4;
    printf("%d\n", at(&o)->n + o.in.n);
    printf("%d\n", (i ? make(1) : make(2)).in.n);
    printf("%d\n", (calls, make(3)).in.n);
    printf("%d\n", ({ make(4); }).in.n);
    printf("%d %d\n", calls, (int)sizeof(make(1).name));
    return calls;
}
