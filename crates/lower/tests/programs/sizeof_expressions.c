// Checks that sizeof does not evaluate its operand, except for the size of variable arrays.
int printf(const char *, ...);

static int calls;
static int f(void) { calls++; return 1; }
static char (*g(void))[7] { calls++; return 0; }

int main(void)
{
    int n = 3, a[10], *p = a;
    char text[] = "abc";
    printf("%d %d %d\n", (int)sizeof n++, (int)sizeof f(), (int)sizeof(*g()));
    printf("%d %d\n", n, calls);
    printf("%d %d %d\n", (int)sizeof a, (int)sizeof(a + 0) == (int)sizeof p, (int)sizeof &a == (int)sizeof p);
    printf("%d %d\n", (int)sizeof text, (int)sizeof "a\0b");
    printf("%d %d\n", (int)sizeof *a, (int)sizeof(a)[0]);
    printf("%d %d\n", (int)sizeof(char) + 1, (int)sizeof -1);
    printf("%d %d %d\n", (int)sizeof 'a', (int)sizeof L'a', (int)sizeof(void));
    printf("%d\n", (int)sizeof(f));
    printf("%d %d\n", (int)sizeof(struct { char c; int n; }), (int)sizeof(union { char c; int n; }));
    printf("%d\n", (int)sizeof(1 ? text : 0) == (int)sizeof(char *));
    printf("%d\n", (int)sizeof(int[2][3]) - (int)sizeof(int (*)[3]));
    printf("%d\n", (int)(sizeof(int) - 5 > 0));
    printf("%d\n", (int)sizeof(p[1000000]));
    printf("%d\n", (int)sizeof *(long long *)0);
    printf("%d ", (int)sizeof(int[n++]));
    printf("%d\n", n);
    printf("%d ", (int)sizeof(char[f() + 4]));
    printf("%d\n", calls);
    int v[n];
    printf("%d ", (int)sizeof v);
    printf("%d ", (int)sizeof v[n++]);
    printf("%d\n", n);
    printf("%d\n", (int)sizeof v);
    return 0;
}
