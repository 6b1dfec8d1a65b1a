struct s { int a; } f(void);
int statement_expressions(int x)
{
    int y = ({ int z = x; z + 1; }) + ({ f(); }).a;
    ({ x = 1; });
    ({ if (x) y = 1; });
    return x ? ({ y; }) : (y, ({ goto out; 1; }));
out:
    return 0;
}
int literals(int x)
{
    struct s *p = &(struct s) { x };
    while (x--) *(int[]) { x } = 1;
    return ((struct s) { .a = 1 }).a + (int) { 3 } + p->a;
}
int logic(int x, int *p, double d)
{
    return x && p || !d && (x > 1) ? x & 1 | x ^ 2 : x << 1 >> 2;
}
int precedence(int a, int b) { return a - - b + + a * -b % ~a / sizeof(char); }
