// Checks comparison of pointers inside one object, with null, of functions and across types.
int printf(const char *, ...);

struct s { int a, b; int list[3]; };

static int f(void) { return 1; }
static int g(void) { return 2; }

int main(void)
{
    struct s s;
    int *null = 0, *p = s.list, *end = s.list + 3;
    void *v = &s;
    printf("%d %d %d\n", &s.a < &s.b, (void *)&s == &s.a, &s.list[1] > p);
    printf("%d %d %d\n", p < end, p <= end - 3, end >= p + 3);
    printf("%d %d\n", null == 0, p != null);
    printf("%d %d %d\n", !p, !null, !!v);
    printf("%d %d\n", p && v, null || p == v);
    printf("%d %d\n", v == &s, v != &s.b);
    printf("%d %d %d\n", f == f, f == g, f != 0);
    int (*h)(void) = s.a == s.a ? g : f;
    printf("%d %d\n", h == g, h == &g);
    int n = 0;
    for (int *q = s.list; q != end; q++)
        *q = n++;
    printf("%d\n", s.list[2]);
    int *q = null ? p : end - 1;
    printf("%d\n", *q);
    const char *text = "abc";
    const char *t = text;
    while (*t)
        t++;
    printf("%d %d\n", (int)(t - text), t > text);
    if (!(v = null))
        printf("null\n");
    while (p < end && *p < 2)
        p++;
    printf("%d\n", (int)(p - s.list));
    unsigned char *b = (unsigned char *)&s, *c = b + sizeof s;
    printf("%d %d\n", b < c, (unsigned long)c - (unsigned long)b == sizeof s);
    return p == 0;
}
