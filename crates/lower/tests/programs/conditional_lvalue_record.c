// Checks conditional, comma and parenthesised expressions of record type.
int printf(const char *, ...);

struct pair { int a, b; int list[2]; };

static int calls;
static int test(int n) { calls++; return n; }
static struct pair make(int n) { calls += 10; return (struct pair){n, n + 1, {n + 2, n + 3}}; }
static int total(struct pair p) { return p.a + p.b + p.list[0] + p.list[1]; }

int main(void)
{
    struct pair x = {1, 2, {3, 4}}, y = {5, 6, {7, 8}}, z;
    for (int i = 0; i < 2; i++) {
        printf("%d %d\n", (i ? x : y).a, (test(i) ? x : y).list[1]);
        z = i ? x : y;
        printf("%d\n", total(z));
        z = test(i) ? make(100) : x;
        printf("%d\n", total(z));
        printf("%d\n", total(i ? make(10) : make(20)));
        (i ? &x : &y)->b = 50;
        *(i ? &x.a : &y.a) += 7;
    }
    printf("%d %d %d %d\n", x.a, x.b, y.a, y.b);
    z = (test(1), x);
    printf("%d\n", z.a);
    printf("%d\n", (test(1), y).list[0]);
    (z).b = 3;
    ((z)).list[(1)] = 4;
    printf("%d %d\n", (z).b, ((z).list)[1]);
    struct pair *p = test(0) ? &x : test(2) == 2 ? &z : &y;
    printf("%d\n", p == &z);
    struct pair w = test(0) ? x : (y.a = 9, y);
    printf("%d %d\n", w.a, calls);
    return 0;
}
