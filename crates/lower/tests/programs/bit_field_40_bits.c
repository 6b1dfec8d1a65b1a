// Checks that an unsigned bit-field wider than int keeps its own width in gcc's arithmetic.
int printf(const char *, ...);

struct wide {
    unsigned long long a : 40;
    unsigned long long b : 33;
    long long c : 35;
    unsigned d : 31;
    unsigned e : 32;
};

int main(void)
{
    struct wide w = {0xffffffffffull, 0x1ffffffffull, -1, 0x7fffffff, 0xffffffffu};
    unsigned long long r;
    r = w.a + 1;
    printf("%llx\n", r);
    r = w.a << 4;
    printf("%llx\n", r);
    r = w.a + 1ull;
    printf("%llx\n", r);
    r = w.a * w.a;
    printf("%llx\n", r);
    r = ~w.a;
    printf("%llx\n", r);
    r = -w.b;
    printf("%llx\n", r);
    r = w.a + w.b;
    printf("%llx\n", r);
    r = (unsigned long long)w.a << 4;
    printf("%llx\n", r);
    printf("%lld\n", (long long)w.c);
    w.c = 0x3ffffffffLL;
    printf("%lld\n", (long long)w.c);
    w.c++;
    printf("%lld\n", (long long)w.c);
    printf("%d %d\n", w.d - 0x7fffffff - 1 < 0, w.e - 0x7fffffff - 0x80000001 < 0);
    printf("%d\n", -w.d < 0);
    w.a++;
    printf("%llx\n", (unsigned long long)w.a);
    w.a -= 1;
    printf("%llx\n", (unsigned long long)w.a);
    w.a >>= 7, w.b <<= 3;
    printf("%llx %llx\n", (unsigned long long)w.a, (unsigned long long)w.b);
    printf("%d\n", w.a - 0xffffffffffull > 0);
    return 0;
}
