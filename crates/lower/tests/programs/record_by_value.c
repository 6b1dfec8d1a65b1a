// Checks passing and returning records of many sizes by value, without aliasing the caller's.
int printf(const char *, ...);

struct one { char c; };
struct three { char c[3]; };
struct mixed { int n; double d; };
struct floats { float x, y; };
struct large { int a[20]; };
struct empty {};

static struct one next(struct one s) { s.c++; return s; }
static struct three rotate(struct three s) { struct three r = {{s.c[1], s.c[2], s.c[0]}}; return r; }
static struct mixed scale(struct mixed m, int k) { m.n *= k, m.d *= k; return m; }
static struct floats swap(struct floats f) { return (struct floats){f.y, f.x}; }
static struct large add(struct large l, struct large r)
{
    for (int i = 0; i < 20; i++)
        l.a[i] += r.a[19 - i];
    return l;
}
static struct empty nothing(struct empty e) { return e; }
static int between(int a, struct mixed m, struct empty e, struct three t, long long b) { return a + m.n + t.c[2] + (int)b; }
static struct large recurse(struct large l, int n)
{
    if (n == 0)
        return l;
    l.a[n] = n;
    struct large r = recurse(l, n - 1);
    r.a[0] += l.a[n];
    return r;
}

int main(void)
{
    struct one o = {'a'};
    struct three t = {"xyz"};
    struct mixed m = {3, 1.5};
    struct floats f = {0.5f, 2.0f};
    struct large l;
    for (int i = 0; i < 20; i++)
        l.a[i] = i * i;
    printf("%c %c\n", next(o).c, o.c);
    t = rotate(rotate(t));
    printf("%c%c%c\n", t.c[0], t.c[1], t.c[2]);
    struct mixed k = scale(m, 4);
    printf("%d %f %d %f\n", k.n, k.d, m.n, m.d);
    m = scale(scale(m, 2), 3);
    printf("%d %f\n", m.n, m.d);
    f = swap(f);
    printf("%f %f\n", f.x, f.y);
    l = add(l, l);
    printf("%d %d %d\n", l.a[0], l.a[7], l.a[19]);
    struct empty e;
    nothing(e);
    printf("%d\n", between(1, m, e, t, 100));
    l = recurse(l, 5);
    printf("%d %d %d\n", l.a[0], l.a[5], l.a[6]);
    return 0;
}
