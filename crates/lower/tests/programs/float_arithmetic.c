// Checks float and double arithmetic, comparison, negative zero, infinity and not-a-number.
int printf(const char *, ...);

static void compare(double a, double b)
{
    printf("%d%d%d%d%d%d\n", a < b, a <= b, a == b, a != b, a >= b, a > b);
}

int main(void)
{
    volatile double zero = 0.0;
    double one = 1.0, half = 0.5, inf = 1.0 / zero, nan = inf - inf, minus = -zero;
    float f = 1.5f, g = 0.25f, h;
    compare(one, half);
    compare(half, half);
    compare(zero, minus);
    compare(inf, one);
    compare(-inf, inf);
    compare(nan, nan);
    compare(nan, one);
    printf("%d %d %d\n", !nan, !zero, !minus);
    printf("%d %d\n", nan ? 1 : 2, minus ? 1 : 2);
    printf("%d %d\n", nan && 1, minus || 0);
    printf("%d %d\n", 1 / minus < 0, 1 / zero > 0);
    printf("%f %f %f\n", one + half, one - half * 3, half / 4);
    h = f * g;
    printf("%f %f\n", h, -h);
    h = f / g;
    printf("%f\n", h);
    h += 1;
    h *= h;
    h -= 0.5;
    h /= 2;
    printf("%f\n", h);
    h++;
    --h;
    printf("%f ", h++);
    printf("%f\n", h);
    printf("%g %g %g\n", 1e20, 1.5e-7, 123456.0);
    printf("%e\n", 12345.5);
    double sum = 0;
    for (double x = 0; x < 4; x += 0.125)
        sum += x;
    printf("%f\n", sum);
    printf("%d %d %d\n", (int)sizeof(f), (int)sizeof(f + f), (int)sizeof(f + 1.0));
    printf("%d\n", !(nan < 1) && !(nan > 1) && nan != nan);
    return 0;
}
