// Checks enumerators, their implicit values and the type chosen for the enumeration.
int printf(const char *, ...);

enum colour { RED, GREEN = 5, BLUE, ALSO_GREEN = GREEN, NEXT };
enum negative { MINUS = -3, MINUS_NEXT, ZERO = 0 };
enum { ANONYMOUS = 1 << 4, CHAINED = ANONYMOUS | 1, SIZE = sizeof(int[CHAINED]) };
enum big { HUGE_VALUE = 0xffffffffu };
enum __attribute__((packed)) tiny { T0, T1, T255 = 255 };
enum __attribute__((packed)) tiny_signed { TN = -1, T127 = 127 };
enum wide { WIDE = 0x123456789abLL, WIDE_NEXT };

static int shade(enum colour c)
{
    switch (c) {
    case RED: return 1;
    case GREEN: return 2;
    case BLUE: return 3;
    default: return 0;
    }
}

int main(void)
{
    enum colour c = BLUE;
    enum negative n = MINUS;
    enum tiny t = T255;
    printf("%d %d %d %d %d\n", RED, GREEN, BLUE, ALSO_GREEN, NEXT);
    printf("%d %d %d\n", MINUS, MINUS_NEXT, ZERO);
    printf("%d %d %d\n", ANONYMOUS, CHAINED, SIZE);
    printf("%d %d %d\n", shade(c), shade(ALSO_GREEN), shade((enum colour)40));
    c++;
    c += 2;
    printf("%d %d\n", c, shade(c));
    printf("%d %d\n", n < 0, n - 1 < 0);
    printf("%d %d\n", (enum colour)-1 > 0, (enum negative)-1 > 0);
    printf("%d %d %d\n", (int)sizeof(t), (int)sizeof(enum tiny_signed), (int)sizeof(enum colour));
    t++;
    printf("%d\n", t);
    printf("%u %d\n", HUGE_VALUE, HUGE_VALUE > 0);
    printf("%d %llx %llx\n", (int)sizeof(enum wide), (long long)WIDE, (long long)WIDE_NEXT);
    enum { INNER = CHAINED * 2 } inner = INNER;
    printf("%d %d\n", inner, (int)sizeof(struct { enum { HERE = 9 } e; }) + HERE);
    int by_name[NEXT + 1] = {[RED] = 1, [BLUE] = 3};
    return by_name[BLUE] + by_name[GREEN];
}
