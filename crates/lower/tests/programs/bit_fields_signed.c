// Checks signed and plain bit-fields: truncation, sign extension and value of an assignment.
int printf(const char *, ...);

struct fields {
    signed a : 1;
    signed b : 3;
    int c : 5;
    short d : 7;
    signed char e : 4;
    long long f : 40;
};

int main(void)
{
    struct fields s = {1, 4, 31, 64, 8, 1LL << 39};
    printf("%d %d %d %d %d %lld\n", s.a, s.b, s.c, s.d, s.e, (long long)s.f);
    for (int i = -9; i < 10; i += 3) {
        s.a = i, s.b = i, s.c = i * 3, s.e = i;
        printf("%d %d %d %d\n", s.a, s.b, s.c, s.e);
    }
    printf("%d %d\n", s.b = 5, s.c = 16);
    int n = s.a = 3;
    printf("%d\n", n);
    s.b = 3;
    printf("%d ", s.b++);
    printf("%d ", s.b);
    printf("%d\n", --s.b);
    s.c = 15;
    s.c += 2;
    printf("%d\n", s.c);
    s.c <<= 1;
    printf("%d\n", s.c);
    s.f = 0x7fffffffffLL;
    s.f++;
    printf("%d %d\n", s.f < 0, (int)(s.f >> 36));
    s.d = -1;
    printf("%d %d %u\n", s.d, s.d < 0u, (unsigned)s.d);
    struct fields t = s;
    t.d = 5;
    printf("%d %d %d\n", s.d, t.d, t.c == s.c);
    printf("%d\n", (int)sizeof(struct fields));
    return 0;
}
