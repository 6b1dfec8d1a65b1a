int even(unsigned n);
int odd(unsigned n) { return n ? even(n - 1) : 0; }

int sum(int n, ...)
{
    __builtin_va_list list;
    int s = 0;
    __builtin_va_start(list, n);
    while (n--)
        s += __builtin_va_arg(list, int);
    __builtin_va_end(list);
    return s;
}

int each(const int *list, int n, int (*f)(int, void *), void *context)
{
    for (int i = 0; i < n; i++)
        if (f(list[i], context))
            return i;
    return -1;
}

static inline int inlined(void) { return 2; }
int inlined_there(void) { return inlined(); }
