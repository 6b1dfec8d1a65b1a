union u { int a; float f; }; union u g(int x) { return (union u) x; }
struct s { int x; }; struct s h(struct s v) { return (struct s) v; }
int k(int x) { void *p = &x; return *(int *)p + (int){ x } + sizeof(struct s); }
_Noreturn void die(void); int m(int x) { return x ? x : (die(), 0); }
void v(int *p) { *p; p[1]; (void) p[2]; struct s { int y; } *q = 0; q->y; }
void w(volatile int *p) { *p; }
int fp(int (*f)(int), int (**g)(int)) { return f(1) + (*f)(2) + (**f)(3) + (*g)(4) + (**g)(5) + (f ? f : *g)(6); }
int neg(int x) { return x < 0 ? -x : +x; }
int cond(int *p, void *q, int x) { return (x ? p : q) == 0 && (x ? p : 0) && (x ? 0 : p); }
void vc(int x) { x ? (void) 0 : w(0); x ? w(0) : w(0); }
char *sel(int x) { return x ? "a" : "bc"; }
int ll(void) { return 1.5f + 'c' > 3 && "x" != 0; }
union t { char *p; long a; } __attribute__((transparent_union)); void take(union t); void give(char *s) { take(3L); take(s); }
