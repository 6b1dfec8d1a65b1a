// Checks shifts by every legal amount, the type of the result and the sign of right shifts.
int printf(const char *, ...);

int main(void)
{
    unsigned mask = 0;
    unsigned long long wide = 0;
    for (int i = 0; i < 32; i++)
        mask ^= (1u << i) >> (i / 2);
    for (int i = 0; i < 64; i++)
        wide ^= (1ull << i) >> (i / 3);
    printf("%x %llx\n", mask, wide);
    int n = -1000;
    long long m = -1000000000000LL;
    for (int i = 0; i < 32; i += 5)
        printf("%d %u ", n >> i, (unsigned)n >> i);
    printf("\n");
    for (unsigned char i = 0; i < 64; i += 9)
        printf("%lld %llu ", m >> i, (unsigned long long)m >> i);
    printf("\n");
    printf("%d %d %d\n", 1 << 31, 1 << 31 >> 31, -1 << 31);
    printf("%lld %lld\n", 1LL << 63, 1LL << 63 >> 63);
    unsigned char c = 0x81;
    signed char s = 0x81;
    printf("%x %x %d %d\n", c << 1, c >> 1, s << 1, s >> 1);
    printf("%x %x\n", (c << 24) >> 24, (unsigned)c << 24 >> 24);
    c <<= 1, s <<= 1;
    printf("%d %d\n", c, s);
    c >>= 1, s >>= 1;
    printf("%d %d\n", c, s);
    printf("%d %d\n", (int)sizeof(1 << 1LL), (int)sizeof(1LL << 1));
    long long amount = 33;
    printf("%llx %lld\n", 1ULL << amount, -1LL << amount);
    unsigned short h = 0xffff;
    printf("%d %x\n", h << 15, (unsigned)(h << 16));
    printf("%d\n", (n >>= 3, n <<= 2, n));
    return 0;
}
