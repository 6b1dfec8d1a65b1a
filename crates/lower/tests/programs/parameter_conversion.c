// Checks conversion of arguments, parameters modified by the callee and conversion of results.
int printf(const char *, ...);

static int as_char(char c) { return c; }
static int as_uchar(unsigned char c) { return c; }
static int as_short(short s) { return s; }
static unsigned as_unsigned(unsigned u) { return u; }
static long long as_wide(long long n) { return n; }
static unsigned long long as_uwide(unsigned long long n) { return n; }
static int as_int(int n) { return n; }
static double as_double(double d) { return d; }
static char return_char(int n) { return n; }
static unsigned short return_short(int n) { return n; }
static _Bool return_bool(int n) { return n; }
static long long return_wide(unsigned n) { return n; }
static long long return_signed(int n) { return n; }
static int return_int(double d) { return d; }
static float return_float(int n) { return n; }
static int modify(int n, int *list, char text[]) { n *= 2, list++, text += 2; *list = n; *text = 'X'; return n; }
static int array_size(int list[10]) { return sizeof list == sizeof(int *); }
static int constant(const int n) { return n + 1; }

int main(void)
{
    int n = 5, list[] = {1, 2, 3};
    char text[] = "text";
    printf("%d %d %d\n", as_char(300), as_uchar(-1), as_short(70000));
    printf("%u %lld %llu\n", as_unsigned(-1), as_wide(-1), as_uwide(-1));
    printf("%lld %llu\n", as_wide(4000000000u), as_uwide(-1 + 0u));
    printf("%d %d\n", as_int(3.99), as_int(1LL << 33 | 7));
    printf("%f %f\n", as_double(3), as_double('a'));
    printf("%d %d %d\n", return_char(511), return_short(-1), return_bool(256));
    printf("%lld %lld\n", return_wide(-1), return_signed(-1));
    printf("%d %f\n", return_int(-2.5), return_float(-5));
    printf("%d %d %d %s\n", modify(n, list, text), n, list[1], text);
    printf("%d %d\n", n, list[1]);
    printf("%d %d %s\n", array_size(list), constant(list[1]), text);
    printf("%d\n", as_char(return_short(as_uchar(0x1ff) << 4)));
    as_int(1), (void)as_int(2);
    return 0;
}
