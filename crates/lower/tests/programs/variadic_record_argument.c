// Checks records of several sizes among variable arguments.
int printf(const char *, ...);

struct small { char a, b, c; };
struct pair { int a, b; };
struct reals { double x, y; };
struct mixed { int n; double d; };
struct large { int list[9]; };
union either { int n; char c[4]; };

static void show(const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    for (; *format; format++)
        switch (*format) {
        case 's': { struct small s = __builtin_va_arg(list, struct small); printf("%c%c%c ", s.a, s.b, s.c); break; }
        case 'p': printf("%d ", __builtin_va_arg(list, struct pair).b); break;
        case 'r': { struct reals r = __builtin_va_arg(list, struct reals); printf("%f %f ", r.x, r.y); break; }
        case 'm': { struct mixed m = __builtin_va_arg(list, struct mixed); printf("%d %f ", m.n, m.d); break; }
        case 'l': { struct large l = __builtin_va_arg(list, struct large); l.list[0]++; printf("%d %d ", l.list[0], l.list[8]); break; }
        case 'u': printf("%x ", __builtin_va_arg(list, union either).c[1]); break;
        case 'i': printf("%d ", __builtin_va_arg(list, int)); break;
        }
    __builtin_va_end(list);
    printf("\n");
}

int main(void)
{
    struct small s = {'x', 'y', 'z'};
    struct pair p = {1, 2};
    struct reals r = {0.5, -0.25};
    struct mixed m = {7, 7.5};
    struct large l = {{1, [8] = 9}};
    union either u = {0x1234};
    show("spirmlui", s, p, 5, r, m, l, u, 6);
    show("lllp", l, l, l, p);
    show("iiiiiippss", 1, 2, 3, 4, 5, 6, p, (struct pair){3, 4}, s, s);
    show("rrrrrm", r, r, r, r, r, m);
    printf("%d\n", l.list[0]);
    return 0;
}
