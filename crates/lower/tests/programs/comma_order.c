// Checks the comma operator: order, value, type, in for clauses, conditions and subscripts.
int printf(const char *, ...);

static int log_of;
static int f(int n) { log_of = log_of * 10 + n; return n; }
static void v(int n) { log_of = log_of * 10 + n; }

int main(void)
{
    int a, b, list[4] = {10, 20, 30, 40};
    a = (f(1), f(2), f(3));
    printf("%d %d\n", a, log_of);
    log_of = 0;
    b = 1, a = b + 1, b = a * 5;
    printf("%d %d\n", a, b);
    a = f(1), f(2);
    printf("%d %d\n", a, log_of);
    log_of = 0;
    printf("%d %d\n", list[f(1), f(2)], log_of);
    log_of = 0;
    v(1), f(2), v(3);
    printf("%d\n", log_of);
    int i, j;
    for (i = 0, j = 10; i++, i < j; j--, f(i))
        ;
    printf("%d %d %d\n", i, j, log_of);
    log_of = 0;
    if (f(0), f(1))
        printf("yes\n");
    while (a--, a > -3)
        f(2);
    printf("%d %d\n", a, log_of);
    int *p;
    *(p = list, p + 1) += (f(1), 5);
    printf("%d %d\n", list[1], (int)sizeof(0, list) == (int)sizeof(int *));
    a = 5;
    a = (a++, a + a);
    printf("%d\n", a);
    b = (a = 3, a++) + 0, a = b;
    printf("%d\n", a);
    return (v(0), 7) - 7;
}
