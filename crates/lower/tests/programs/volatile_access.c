// Checks volatile objects, members and pointers: every access happens, also where the value is unused.
int printf(const char *, ...);

volatile int counter;
static volatile struct { int status; volatile unsigned bits : 4; const volatile int fixed; } device = {1, 2, 3};
static volatile int list[3] = {1, 2, 3};

static int poll(volatile int *p) { int n = 0; while (*p > 0) { --*p; n++; } return n; }

int main(void)
{
    volatile int local = 5;
    volatile int *p = &local;
    int *volatile q = (int *)&counter;
    const volatile int *r = &device.fixed;
    local;
    *p;
    device.status;
    (void)list[1];
    counter = local;
    counter++;
    counter += *q;
    printf("%d %d\n", counter, poll(p));
    printf("%d\n", local);
    device.bits += 15;
    device.status |= device.bits;
    printf("%d %d %d\n", device.status, device.bits, *r);
    list[0] = list[1] = list[2];
    printf("%d %d\n", list[0], list[1]);
    volatile unsigned char c = 255;
    c++;
    int x = c = 300;
    printf("%d %d\n", c, x);
    volatile float f = 0.5f;
    f *= 3;
    printf("%f\n", f);
    volatile long long wide = 1LL << 40;
    wide -= 1;
    printf("%lld\n", wide);
    for (volatile int i = 0; i < 3; i++)
        counter -= i;
    struct s { int a, b; };
    volatile struct s v = {1, 2};
    struct s w = v;
    v = w;
    printf("%d %d %d\n", counter, w.b, v.a);
    return 0;
}
