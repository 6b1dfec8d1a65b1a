// Checks variable arguments of every promoted type, many of them, and passing the list on.
int printf(const char *, ...);
typedef __builtin_va_list va_list;
#define va_start __builtin_va_start
#define va_arg __builtin_va_arg
#define va_end __builtin_va_end

static void show_list(const char *format, va_list list)
{
    for (; *format; format++)
        switch (*format) {
        case 'i': printf("%d ", va_arg(list, int)); break;
        case 'u': printf("%u ", va_arg(list, unsigned)); break;
        case 'l': printf("%ld ", va_arg(list, long)); break;
        case 'L': printf("%lld ", va_arg(list, long long)); break;
        case 'd': printf("%f ", va_arg(list, double)); break;
        case 's': printf("%s ", va_arg(list, char *)); break;
        case 'p': printf("%d ", *va_arg(list, int *)); break;
        case 'f': printf("%d ", va_arg(list, int (*)(int))(5)); break;
        }
    printf("\n");
}

static void show(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    show_list(format, list);
    va_end(list);
}

static int sum(int n, ...)
{
    int s = 0;
    va_list list;
    va_start(list, n);
    while (n--)
        s = s * 2 + va_arg(list, int);
    va_end(list);
    return s;
}

static double average(int n, ...)
{
    double s = 0;
    va_list list;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        s += i % 2 ? va_arg(list, double) : va_arg(list, int);
    va_end(list);
    return s / n;
}

static int square(int n) { return n * n; }

int main(void)
{
    int n = 42;
    char c = -1;
    short s = 300;
    float f = 0.5f;
    _Bool b = 1;
    show("iuiid", c, 4000000000u, s, b, f);
    show("lLdsLi", -5L, 1LL << 40, 2.5, "text", -1LL, 3);
    show("pfps", &n, square, &n, "end");
    show("iiiiiiiiiidddddddddLLLs", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1., 2., 3., 4., 5., 6., 7., 8., 9., 1LL, 2LL, 3LL, "last");
    show("");
    printf("%d %d\n", sum(0), sum(6, 1, 0, 1, 'a', c, s));
    printf("%f\n", average(4, 1, 2.5, 3, 9.5));
    return 0;
}
