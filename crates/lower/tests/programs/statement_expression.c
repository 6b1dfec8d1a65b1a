// Checks statement expressions: value, scope, nesting, control flow out of them, record values.
int printf(const char *, ...);

struct pair { int a, b; };
static int trace;
static int f(int n) { trace = trace * 10 + n; return n; }

static int leave(int n)
{
    int x = 1 + ({ if (n > 5) return -n; n * 2; });
    return x;
}

static int first_even(const int *p, int n)
{
    for (int i = 0; i < n; i++)
        if (({ if (p[i] < 0) continue; p[i] % 2 == 0; }))
            return p[i];
    return ({ 0; });
}

int main(void)
{
    int x = ({ int y = f(1); int z = f(2); y + z * 10; });
    printf("%d %d\n", x, trace);
    printf("%d %d\n", leave(3), leave(9));
    printf("%d\n", first_even((int[]){1, -2, 3, 8, 10}, 5));
    ({ x++; });
    int y = ({ int x = 5; x++; x; }) + x;
    printf("%d %d\n", x, y);
    printf("%d\n", ({ struct pair p = {3, 4}; p; }).b);
    struct pair q = ({ struct pair p = {f(5), 6}; p.a++; p; });
    printf("%d %d\n", q.a, q.b);
    int total = 0;
    for (int i = 0; i < 10; i++) {
        total += ({ if (i == 7) break; i % 2 ? i : ({ f(0); 0; }); });
    }
    printf("%d\n", total);
    int a = ({ goto skip; 1; });
    printf("not here\n");
skip:
    a = ({ int n = 0; for (int i = 0; i < 5; i++) n += i; n; });
    printf("%d\n", a);
    a = ({ int r; switch (a) { case 10: r = 1; break; default: r = 2; } r; });
    printf("%d\n", a);
    int list[3] = {({ f(1); 7; }), ({ 8; }), 9};
    printf("%d\n", list[({ 1; })] + ({ list[0]; }));
    void *p = ({ (void *)list; });
    printf("%d %d\n", *(int *)p, (int)sizeof(({ (char)1; })));
    ({ ; });
    printf("%d\n", ({ static int kept = 3; ++kept; }) + ({ label: 1; }));
    printf("%s\n", ({ char *s = "text"; s + 1; }));
    printf("%d\n", f(1) + ({ f(2); trace = 0; f(3); }) + f(4));
    return trace == 34 ? 0 : 1;
}
