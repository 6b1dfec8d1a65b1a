// Checks inline functions: static, extern, GNU spelling, always_inline, noinline and noreturn.
int printf(const char *, ...);
void exit(int);

static inline int twice(int n) { return 2 * n; }
extern inline int thrice(int n);
inline int thrice(int n) { return 3 * n; }
static __inline__ __attribute__((always_inline)) int forced(int n) { if (n) return n; return 5; }
__attribute__((noinline)) static int never(int n) { static int calls; return n + ++calls; }
extern __inline __attribute__((gnu_inline, always_inline)) int gnu(int n) { return n - 1; }
static inline int later(int);
static inline void store(int *p, int n) { *p = n; }
_Noreturn static void finish(int status) { printf("finish\n"); exit(status); }
static inline __attribute__((const)) int constant(void) { return 11; }
static __attribute__((unused)) int unused(void) { return unused() + 1; }
static inline int recursive(int n) { return n < 2 ? 1 : n * recursive(n - 1); }

int main(void)
{
    int x = 0;
    printf("%d %d %d\n", twice(4), thrice(4), forced(0) + forced(1));
    printf("%d %d\n", never(1), never(1));
    printf("%d %d\n", gnu(5), later(6));
    store(&x, twice(twice(2)));
    printf("%d %d\n", x, constant());
    int (*p)(int) = twice, (*q)(int) = thrice;
    printf("%d %d\n", p(5), q(5));
    printf("%d\n", recursive(6));
    if (x)
        finish(twice(3));
    return 1;
}

static inline int later(int n) { return n * n; }
