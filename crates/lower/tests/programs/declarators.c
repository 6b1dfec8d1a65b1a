// Checks complicated declarators, typedefs of functions and arrays, and abstract declarators.
int printf(const char *, ...);

typedef int function(int);
typedef function *pointer;
typedef int row[3];
typedef row matrix[2];
typedef struct node node;
struct node { node *next, *const *self; int value; };

static function square, negate;
static int square(int n) { return n * n; }
static int negate(int n) { return -n; }
static function *choose(int n) { return n ? square : negate; }
static int (*(*higher(void))(int))(int) { return choose; }
static int *(*slots(int *p))[2] { static int *list[2]; list[0] = p, list[1] = p + 1; return &list; }
static matrix m = {{1, 2, 3}, {4, 5, 6}};
static row *second(matrix x) { return x + 1; }
static int (*const handlers[2])(int) = {square, negate};
static int apply(function f, int (int), int n);
static int apply(int (*f)(int), int g(int), int n) { return f(g(n)); }
int long unsigned static mixed_order = 5, *mixed_pointer = &mixed_order;
static char (*(*table[2])[3]);

int main(void)
{
    int pair[2] = {10, 20};
    printf("%d %d\n", choose(1)(5), higher()(0)(5));
    printf("%d\n", *(*slots(pair))[1]);
    printf("%d %d\n", (*second(m))[2], (int)sizeof(matrix));
    printf("%d\n", apply(square, negate, 4) + handlers[1](1));
    pointer p = square, *pp = &p;
    printf("%d\n", (*pp)(3) + (**pp)(1));
    printf("%lu %d\n", *mixed_pointer, table[1] == 0);
    node a = {0, 0, 1}, b = {&a, &b.next, 2};
    printf("%d\n", b.next->value + (*b.self)->value);
    int (*array)[3] = m, (**q)[3] = &array;
    printf("%d\n", (**q)[1] + q[0][1][0]);
    printf("%d\n", (int)sizeof(int (*(*)[5])(void)) == (int)sizeof(void *));
    printf("%d\n", ((int (*)(int))(void *)square)(6));
    return 0;
}
