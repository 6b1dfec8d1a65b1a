// Checks long double with values that a double holds exactly.
int printf(const char *, ...);

static long double half(long double x) { return x / 2; }

struct pair {
    char c;
    long double x;
};

int main(void)
{
    long double a = 1.5L, b = -0.25L;
    long double list[3] = {1, 2.5L, 'a'};
    struct pair p = {1, 8}, q;
    printf("%f %f %f\n", (double)(a + b), (double)(a * b), (double)(a / b));
    printf("%d %d %d\n", a > b, a == 1.5, b < -1);
    printf("%f\n", (double)half(list[0] + list[1] + list[2]));
    printf("%d %d\n", (int)a, (int)(b * 10));
    printf("%d %d\n", (int)sizeof(long double), (int)_Alignof(long double));
    printf("%d %d\n", (int)sizeof(struct pair), (int)__builtin_offsetof(struct pair, x));
    q = p;
    q.x += a;
    q.x++;
    printf("%f %f\n", (double)q.x, (double)p.x);
    a = 12345;
    unsigned u = a;
    float f = a;
    printf("%u %f\n", u, f);
    a = -7;
    printf("%lld %d\n", (long long)a, !a);
    long double sum = 0;
    for (int i = 1; i <= 64; i *= 2)
        sum += 1.0L / i;
    printf("%f\n", (double)sum);
    return 0;
}
