// Checks conditional expressions of mixed types: integers, pointers, null, void and functions.
int printf(const char *, ...);

static int trace;
static void first(void) { trace = trace * 10 + 1; }
static void second(void) { trace = trace * 10 + 2; }
static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }

int main(void)
{
    unsigned u = 1;
    signed char c = -1;
    int list[2] = {3, 4};
    for (int t = 0; t < 2; t++) {
        long long wide = t ? -1 : 0u;
        printf("%lld\n", wide);
        wide = t ? c : u;
        printf("%lld\n", wide);
        double d = t ? 1 : 0.5;
        printf("%f %d\n", d, (int)sizeof(t ? 1 : 0.5f));
        int *p = t ? list : 0;
        printf("%d\n", p ? *p : -1);
        const void *v = t ? (void *)list : &u;
        printf("%d\n", *(const int *)v);
        t ? first() : second();
        t ? (void)0 : first();
        printf("%d\n", trace);
        printf("%d\n", (t ? add : subtract)(5, 3));
        const char *s = t ? "yes" : "no, longer";
        printf("%s %c\n", s, (t ? "abc" : "xyz")[1]);
        printf("%d\n", t ? t ? 1 : 2 : t ? 3 : 4);
        int x = 0, y = 0;
        t ? x++ : y++;
        *(t ? &x : &y) += 10;
        printf("%d %d\n", x, y);
        printf("%d\n", (t ? 1 : 2) + (t ? 10 : 20));
        _Bool b = t ? 4 : 0;
        printf("%d %d\n", b, (t == 1 ? b : c));
        unsigned char narrow = t ? 300 : 200;
        printf("%d %x\n", narrow, t ? c : 0xffffu);
    }
    return 1 ? 0 : trace;
}
