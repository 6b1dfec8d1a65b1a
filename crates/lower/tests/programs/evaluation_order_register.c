// Checks that a local whose address nobody takes is read late, one in memory where it stands.
int printf(const char *, ...);

static int three(int a, int b, int c) { return a * 100 + b * 10 + c; }
static int one(int n) { return n + 1; }
static int other(int n) { return n + 200; }

int main(void)
{
    int x = 2, y = 2, *p = &y, list[10] = {0};
    int (*f)(int) = one;
    printf("%d\n", x - ({ x = 9; 1; }));
    printf("%d\n", y - ({ *p = 9; 1; }));
    x = y = 1;
    printf("%d\n", three(x, ({ x = 4; 2; }), x));
    printf("%d\n", three(y, ({ *p = 4; 2; }), y));
    printf("%d\n", f(({ f = other; 1; })));
    x = 1;
    list[({ x = 3; 2; })] = x;
    printf("%d\n", list[2]);
    return 0;
}
