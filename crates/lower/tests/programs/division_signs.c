// Checks quotient and remainder for every combination of signs and widths.
int printf(const char *, ...);

int main(void)
{
    int values[] = {7, -7, 2, -2, 1, -1, 2147483647, -2147483647 - 1};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            int a = values[i], b = values[j];
            long long p = (long long)a * 65537, q = b;
            if (!(b == -1 && i == 7))
                printf("%d %d ", a / b, a % b);
            printf("%u %u ", (unsigned)a / (unsigned)b, (unsigned)a % (unsigned)b);
            printf("%lld %lld ", p / q, p % q);
            printf("%llu %llu\n", (unsigned long long)p / (unsigned long long)q, (unsigned long long)p % (unsigned long long)q);
        }
    signed char c = -128;
    short s = -32768;
    printf("%d %d\n", c / -1, s / -1);
    c /= -1;
    s /= -1;
    printf("%d %d\n", c, s);
    printf("%d %d\n", -7 / 2, -7 >> 1);
    printf("%d %d\n", -7 % 2, -7 & 1);
    printf("%d\n", -7 / 2u == 2147483644u);
    return 0;
}
