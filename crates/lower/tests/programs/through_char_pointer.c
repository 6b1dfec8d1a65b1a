// Checks writing objects byte by byte and reading bytes of objects of every type.
int printf(const char *, ...);

union __attribute__((packed)) anywhere { short s; int n; };
struct s { short a; int n; unsigned f : 9; void *p; char c[3]; };

static void copy(void *to, const void *from, int n)
{
    char *t = to;
    const char *f = from;
    while (n--)
        *t++ = *f++;
}

static unsigned hash(const void *p, int n)
{
    const unsigned char *b = p;
    unsigned h = 5381;
    while (n--)
        h = h * 33 + *b++;
    return h;
}

int main(void)
{
    int n = 0x11223344, m;
    unsigned char *p = (unsigned char *)&n;
    printf("%x %x\n", p[0], p[3]);
    p[0] = 0xff, p[2]++;
    printf("%x\n", n);
    copy(&m, &n, sizeof m);
    printf("%x\n", m);
    ((union anywhere *)((char *)&m + 1))->s = -2;
    printf("%x\n", m);
    struct s a = {-1, 5, 300, &n, "ab"}, b;
    copy(&b, &a, sizeof a);
    printf("%d %d %d %d %s\n", b.a, b.n, b.f, *(int *)b.p == n, b.c);
    int *q = &m, *r;
    copy(&r, &q, sizeof r);
    *r = 9;
    printf("%d\n", m);
    unsigned (*f)(const void *, int), (*g)(const void *, int) = hash;
    copy(&f, &g, sizeof f);
    printf("%u\n", f(&m, 1));
    long long list[2] = {1, -1};
    printf("%u\n", hash(list, sizeof list));
    ((char *)list)[9] = 0;
    printf("%llx\n", list[1]);
    int words[2] = {0x04030201, 0x08070605};
    printf("%x\n", ((union anywhere *)((char *)words + 3))->n);
    *(long long *)words = 0x1111111122222222LL;
    printf("%x %x\n", words[0], words[1]);
    double d = 1.0;
    ((unsigned char *)&d)[6] = 0;
    ((unsigned char *)&d)[7] = 0x40;
    printf("%f\n", d);
    return 0;
}
