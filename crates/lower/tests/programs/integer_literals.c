// Checks the type and value of integer constants by base, suffix and size.
int printf(const char *, ...);

#define KIND(e) _Generic((e), int: "int", unsigned: "unsigned", long: "long", \
    unsigned long: "unsigned long", long long: "long long", unsigned long long: "unsigned long long")

int main(void)
{
    printf("%s %s %s\n", KIND(1), KIND(1u), KIND(1l));
    printf("%s %s %s %s\n", KIND(1LL), KIND(1uL), KIND(1llU), KIND(1Ull));
    printf("%s %s\n", KIND(2147483647), KIND(2147483648));
    printf("%s %s\n", KIND(0x7fffffff), KIND(0x80000000));
    printf("%s %s\n", KIND(4294967295), KIND(0xffffffff));
    printf("%s %s\n", KIND(4294967296), KIND(0x100000000));
    printf("%s %s\n", KIND(037777777777), KIND(040000000000));
    printf("%s %s\n", KIND(9223372036854775807), KIND(0x8000000000000000));
    printf("%s %s\n", KIND(-2147483648), KIND(-2147483647 - 1));
    printf("%s %s\n", KIND(0b101), KIND(0xffffffffL));
    printf("%s %s\n", KIND('a'), KIND(sizeof 1));
    printf("%llu %llx\n", 18446744073709551615ULL, 0xfedcba9876543210ULL);
    printf("%d %d %d %d\n", 0777, 0x1F, 0b11001, 0B1);
    printf("%d %d\n", 00, 0x0);
    printf("%d\n", -2147483648 < 2147483647);
    printf("%d\n", -1 < 0x80000000);
    printf("%d\n", 0x7fffffff + 1 < 0);
    printf("%d\n", 0x80000000 + 0x80000000 == 0);
    printf("%lld\n", 2147483648 * 2);
    printf("%lld\n", (long long)(2147483647u + 1u));
    return 0;
}
