// Checks inline definitions whose external definition comes from a later or earlier declaration.
int printf(const char *, ...);

inline int first(int n) { return n + 1; }
int first(int n);
int second(int n);
inline int second(int n) { return n + 2; }
inline int third(int n) { return n + 3; }
extern int third(int n);
static int state(void);
static inline int state(void) { static int n; return ++n; }
inline static const char *name(void) { return __func__; }

int main(void)
{
    printf("%d %d %d\n", first(1), second(1), third(1));
    printf("%d ", state()), printf("%d\n", state());
    printf("%s\n", name());
    int (*f)(int) = first;
    printf("%d\n", f(10) + (f == first));
    return 0;
}
