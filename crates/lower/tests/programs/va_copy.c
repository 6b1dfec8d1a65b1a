// Checks va_copy: two walks over the same arguments, restarting, and a list shared by pointer.
int printf(const char *, ...);
typedef __builtin_va_list va_list;

static int take(va_list *list) { return __builtin_va_arg(*list, int); }

static int twice(int n, ...)
{
    va_list a, b;
    int r = 0;
    __builtin_va_start(a, n);
    r = __builtin_va_arg(a, int);
    __builtin_va_copy(b, a);
    for (int i = 1; i < n; i++)
        r = r * 10 + __builtin_va_arg(a, int);
    for (int i = 1; i < n; i++)
        r = r * 10 + __builtin_va_arg(b, int);
    __builtin_va_end(a);
    __builtin_va_end(b);
    return r;
}

static int shared(int n, ...)
{
    va_list list;
    int r = 0;
    __builtin_va_start(list, n);
    while (n--)
        r = r * 10 + (n % 2 ? take(&list) : __builtin_va_arg(list, int));
    __builtin_va_end(list);
    return r;
}

static int restart(int n, ...)
{
    int r = 0;
    for (int round = 0; round < 3; round++) {
        va_list list;
        __builtin_va_start(list, n);
        for (int i = 0; i <= round; i++)
            r = r * 10 + __builtin_va_arg(list, int);
        __builtin_va_end(list);
    }
    return r;
}

static int recursive(int depth, ...)
{
    va_list list;
    __builtin_va_start(list, depth);
    int first = __builtin_va_arg(list, int);
    int below = depth ? recursive(depth - 1, first + 1, 9) : 0;
    int second = __builtin_va_arg(list, int);
    __builtin_va_end(list);
    return below * 100 + first * 10 + second;
}

int main(void)
{
    printf("%d\n", twice(4, 1, 2, 3, 4));
    printf("%d\n", shared(6, 1, 2, 3, 4, 5, 6));
    printf("%d\n", restart(3, 7, 8, 9));
    printf("%d\n", recursive(2, 1, 2));
    return 0;
}
