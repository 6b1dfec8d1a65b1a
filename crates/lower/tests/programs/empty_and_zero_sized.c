// Checks empty records, arrays of size zero, empty statements, functions and translation-level semicolons.
int printf(const char *, ...);
;
struct empty {};
union none {};
struct holder { int a; struct empty e; int none[0]; int b; };
struct tail { int n; struct empty e[10]; };
static void nothing(void) {}
static struct empty make(void) { return (struct empty){}; }
static int take(struct empty e, int n) { (void)e; return n; }

int main(void)
{
    struct empty e = {}, f = e, list[4];
    struct holder h = {1, {}, {}, 2};
    f = make();
    list[0] = f;
    printf("%d %d %d\n", (int)sizeof e, (int)sizeof(union none), (int)sizeof list);
    printf("%d %d\n", (int)sizeof h, (int)sizeof(struct tail));
    printf("%d %d %d\n", h.a, h.b, (int)((char *)&h.none - (char *)&h));
    printf("%d\n", take(e, 3) + take(make(), 4));
    int zero[0];
    printf("%d\n", (int)sizeof zero);
    ;;
    {}
    {;}
    if (h.a) ; else ;
    for (;0;) ;
    nothing();
    (void)0;
    if (0) { return 9; }
    struct { int x; struct empty; } odd = {5};
    printf("%d %d\n", odd.x, (int)sizeof odd);
    struct holder copy = h;
    copy.b = 8;
    printf("%d\n", copy.b);
}
