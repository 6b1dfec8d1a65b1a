// Checks that every scalar converts to _Bool by comparison with zero.
int printf(const char *, ...);

static _Bool truth(_Bool b) { return b; }
static _Bool of_int(int n) { return n; }
static _Bool of_pointer(void *p) { return p; }
static _Bool of_double(double d) { return d; }
static _Bool of_wide(unsigned long long n) { return n; }

int main(void)
{
    int x = 0;
    double tiny = 0.25;
    _Bool b = 256;
    printf("%d %d %d\n", b, (_Bool)2, (_Bool)-1);
    printf("%d %d %d\n", truth(0x100), truth(0.5), truth(0));
    printf("%d %d\n", of_int(256), of_int(0));
    printf("%d %d\n", of_pointer(&x), of_pointer(0));
    printf("%d %d %d\n", of_double(tiny), of_double(-0.0), of_double(0.0));
    printf("%d %d\n", of_wide(1ull << 32), of_wide(1ull << 63));
    b = 3;
    printf("%d %d\n", b, b == 1);
    b = tiny;
    printf("%d %d\n", b, (int)tiny);
    b = &x;
    printf("%d\n", b);
    b = 0, b++;
    printf("%d ", b);
    b++;
    printf("%d ", b);
    b--;
    printf("%d ", b);
    b--;
    printf("%d\n", b);
    b |= 6;
    printf("%d ", b);
    b ^= 1;
    printf("%d ", b);
    b -= 1;
    printf("%d ", b);
    b *= 4;
    printf("%d\n", b);
    printf("%d %d %d\n", (int)sizeof(b), (int)sizeof(!b), ~b);
    _Bool array[4] = {5, 0, tiny, -3};
    printf("%d %d\n", array[0] + array[1] + array[2] + array[3], ((unsigned char *)array)[3]);
    printf("%d\n", (_Bool)"text" + (_Bool)main);
    return 0;
}
