int declared();
int none(void);
int variadic(const char *, ...);
static int internal(int x) { return x; }
int old(c, f, p, undeclared) char c; float f; short *p; { return c + f + *p + undeclared; }
int prototype_first(char c, float f);
int prototype_first(c, f) char c; float f; { return c + f; }
typedef int function(int);
function by_typedef;
int adjusted(int a[3], int g(int), const int q) { return a[0] + g(q); }
int (*returns_pointer(int x))(int) { return internal; }
int calls(float f, char c, int (*p)(), function *q)
{
    declared(f, c);
    variadic("x", f, c, 1L);
    old(1, 2.0, 0, 3);
    p(c);
    (*q)(c);
    (**by_typedef)(f);
    return none() + internal(f) + returns_pointer(1)(2);
}
int varargs(int n, ...)
{
    __builtin_va_list list, copy;
    __builtin_va_start(list, n);
    __builtin_va_copy(copy, list);
    double d = __builtin_va_arg(list, double);
    struct { int x; } s = __builtin_va_arg(list, typeof(s));
    __builtin_va_end(list);
    return __builtin_va_arg(copy, int);
}
int passed(__builtin_va_list list) { return __builtin_va_arg(list, int); }
