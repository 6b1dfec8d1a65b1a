// Checks pre- and post-increment of every scalar type: value, effect once, type of the result.
int printf(const char *, ...);

static int calls, list[4] = {1, 2, 3, 4};
static int *p(int n) { calls++; return &list[n]; }

int main(void)
{
    unsigned char c = 255;
    signed char s = -128;
    unsigned short h = 0;
    float f = 1.5f;
    double d = -0.5;
    long long ll = 0x7fffffff;
    int *q = list;
    struct { int n; unsigned b : 2; char *text; } r = {5, 3, "abc"};
    printf("%d ", c++), printf("%d ", c), printf("%d ", --c), printf("%d\n", ++c);
    printf("%d ", s--), printf("%d ", s), printf("%d\n", ++s);
    printf("%d ", h--), printf("%d ", h), printf("%d\n", ++h);
    printf("%f ", f++), printf("%f ", f), printf("%f\n", --f);
    printf("%f ", d--), printf("%f\n", ++d);
    printf("%lld ", ll++), printf("%lld\n", ll);
    printf("%d ", *q++), printf("%d ", *++q), printf("%d ", ++*q), printf("%d ", (*q)++), printf("%d ", *q--), printf("%d\n", *q);
    (*p(0))++, ++*p(1), p(2)[1]--;
    printf("%d %d %d %d %d\n", list[0], list[1], list[2], list[3], calls);
    printf("%d ", r.n++), printf("%d ", --r.n), printf("%d ", r.b++), printf("%d ", r.b), printf("%d\n", --r.b);
    printf("%c ", *r.text++), printf("%c ", *++r.text), printf("%c\n", *--r.text);
    int i = 0, a[3] = {0};
    a[i++] = 5, a[i++] = 6, a[i--] = 7;
    a[i]++, a[++i] += 1;
    printf("%d %d %d %d\n", i, a[0], a[1], a[2]);
    i = 1;
    i = i++ + 0 * 1 ? 4 : 5;
    printf("%d\n", i);
    printf("%d %d\n", (int)sizeof(c++), (int)sizeof(f++));
    char *walk = "walk";
    int n = 0;
    while (*walk++)
        n++;
    printf("%d\n", n);
    return -i + 4;
}
