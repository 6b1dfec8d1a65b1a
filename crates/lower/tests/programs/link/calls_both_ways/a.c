// Checks recursion and callbacks across units, variadic functions and inline functions in both.
int printf(const char *, ...);
int odd(unsigned n);
int sum(int n, ...);
int each(const int *list, int n, int (*f)(int, void *), void *context);
int inlined_there(void);

int even(unsigned n) { return n ? odd(n - 1) : 1; }
static inline int inlined(void) { return 1; }
static int add(int n, void *context) { *(int *)context += n; return n > 2; }

int main(void)
{
    int total = 0, list[] = {1, 2, 3, 4};
    printf("%d %d\n", even(8), odd(8));
    printf("%d\n", sum(3, 10, 20, 30));
    printf("%d ", each(list, 4, add, &total));
    printf("%d\n", total);
    printf("%d %d\n", inlined(), inlined_there());
    return even(7);
}
