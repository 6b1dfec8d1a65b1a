// Checks ?: without a middle operand: the condition is evaluated once and is the value.
int printf(const char *, ...);

static int calls;
static int f(int n) { calls++; return n; }
static int *null(void) { calls++; return 0; }

int main(void)
{
    int n = 5, zero = 0;
    printf("%d %d\n", f(3) ?: f(4), calls);
    printf("%d\n", calls);
    printf("%d\n", f(0) ?: f(4));
    printf("%d\n", calls);
    printf("%d %d\n", zero ?: -1, n ?: -1);
    printf("%d\n", *(null() ?: &n));
    printf("%s\n", (char *)0 ?: "default");
    printf("%s\n", "given" ?: "default");
    printf("%f\n", 0.5 ?: 1);
    printf("%f %d\n", 0 ?: 2.5, (int)sizeof(0 ?: 2.5));
    printf("%d\n", n++ ?: 7);
    printf("%d\n", n);
    printf("%d\n", (n = 0) ?: n + 1);
    printf("%d\n", f(0) ?: f(0) ?: f(9));
    printf("%d\n", calls);
    long long wide = 1LL << 40;
    printf("%lld\n", wide ?: 3);
    unsigned u = 0;
    printf("%d\n", (u ?: -1) > 0);
    unsigned char c = 200;
    printf("%d\n", c ?: 5);
    printf("%d\n", (n > 3 ?: 9) + (n == 0 ?: 9));
    return f(0) ?: 3;
}
