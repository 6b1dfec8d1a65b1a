// Checks constant expressions in static initialisers, array sizes, bit widths and case labels.
int printf(const char *, ...);

enum { A = 1 + 2 * 3, B = A << 2 | 1, C = -A % 4, D = (unsigned char)300, E = 5 > 3 && 2 < 1 || !0, F = 1 ? 10 : 1 / 1 };
static int i = (int)3.99 + (int)-3.99, u = -1 < 0u, neg = -7 / 2 * 2 + -7 % 2;
static unsigned wrap = 0u - 1, shift = ~0u >> 28;
static long long wide = 1LL << 40 | 0xffu, product = 100000LL * 100000, narrowed = 100000 * 100000;
static unsigned char c = 1000;
static signed char s = 200;
static double d = 1.0 / 4 + 1 / 4, e = -0.0, mixed = 7 / 2 * 1.0;
static float f = 1 + 0.5f;
static _Bool b = 0.1, b2 = (_Bool)256;
static int size = sizeof(char[A][2]), cond = sizeof(int) == 4 ? 'y' : 'n';
static struct { int w : A - 4; unsigned char list[B % 8]; } record = {-1, {[E] = F}};
static char text[sizeof "hello" - 1 + (1 == 1)] = "hello";
static const int not_really = 5;
static int chosen = 0 ? 2 : 3;
static int generic = _Generic(1LL, long long: 4, default: 5), unary = - - -5 + + +2, not = !!7 + ~0;

int main(void)
{
    printf("%d %d %d %d %d %d\n", A, B, C, D, E, F);
    printf("%d %d %d %u %u\n", i, u, neg, wrap, shift);
    printf("%lld %lld %lld\n", wide, product, narrowed);
    printf("%d %d\n", c, s);
    printf("%f %d %f %f\n", d, 1 / e < 0, mixed, f);
    printf("%d %d %d %d\n", b, b2, size, cond);
    printf("%d %d %d %d\n", record.w, record.list[1], (int)sizeof record.list, (int)sizeof text);
    printf("%d %d %d %d\n", chosen, generic, unary, not);
    int n = 2;
    switch (n) {
    case (1 ? 2 : 3): printf("two\n"); break;
    case sizeof(long long): printf("eight\n"); break;
    }
    int array[not_really > 3 ? 2 : 3];
    printf("%d\n", (int)(sizeof array / sizeof *array));
    return A == 7 ? 0 : 1;
}
