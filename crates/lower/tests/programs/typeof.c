// Checks typeof on expressions and types, __auto_type and that operands are not evaluated.
int printf(const char *, ...);

#define max(a, b) ({ typeof(a) _a = (a); typeof(b) _b = (b); _a > _b ? _a : _b; })
#define swap(a, b) do { typeof(a) t = a; a = b; b = t; } while (0)

struct s { unsigned short n; int list[3]; };

static int f(void);
static typeof(f) g;
static typeof(int *) pointer, another;
static typeof(int[3]) array = {1, 2, 3};

static int g(void) { return 7; }
static int f(void) { return g() + 1; }

int main(void)
{
    int i = 3;
    unsigned char c = 200;
    struct s s = {65535, {1, 2, 3}};
    typeof(s.n) n = 70000;
    typeof(s.list) copy = {4, 5};
    typeof(&s) p = &s;
    typeof(*p) t = s;
    typeof(c + c) wide = 300;
    typeof(c) narrow = 300;
    typeof(i++) untouched = 1;
    const int k = 5;
    typeof(k) constant = 6;
    __typeof__(f()) r = f();
    __auto_type automatic = 1.5;
    __auto_type decayed = array;
    printf("%d %d %d %d\n", n, copy[1], copy[2], p->list[2]);
    printf("%d %d %d %d\n", t.n, wide, narrow, i);
    printf("%d %d %d %f %d\n", untouched, constant, r, automatic, decayed[2]);
    pointer = &i, another = pointer;
    *another = 12;
    printf("%d %d\n", i, (int)sizeof(typeof(array)));
    printf("%d\n", max(i++, 5));
    printf("%d\n", i);
    printf("%d\n", max(c, -1));
    int x = 1, y = 2;
    swap(x, y);
    swap(s.list[0], s.list[2]);
    printf("%d %d %d %d\n", x, y, s.list[0], s.list[2]);
    typeof(x) *q = &x, list[2] = {8, 9};
    printf("%d %d\n", *q, list[1]);
    typeof(typeof(char *)[4]) names = {"a", "b"};
    printf("%s %d\n", names[1], names[3] == 0);
    return 0;
}
