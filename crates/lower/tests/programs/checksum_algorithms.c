// Checks bit-heavy code: CRC, rotations, a small hash, fixed-point arithmetic, a random generator.
int printf(const char *, ...);

static unsigned table[256];

static unsigned crc(const unsigned char *p, int n)
{
    unsigned c = ~0u;
    while (n--)
        c = table[(c ^ *p++) & 0xff] ^ c >> 8;
    return ~c;
}
static unsigned rotate(unsigned x, int by) { return x << (by & 31) | x >> (-by & 31); }
static unsigned long long rotate64(unsigned long long x, int by) { return x << by | x >> (64 - by); }
static unsigned short swap16(unsigned short x) { return x << 8 | x >> 8; }
static int fixed_multiply(int a, int b) { return (int)((long long)a * b >> 16); }
static unsigned root(unsigned n)
{
    unsigned r = 0;
    for (unsigned bit = 1u << 30; bit; bit >>= 2)
        if (n >= r + bit)
            n -= r + bit, r = (r >> 1) + bit;
        else
            r >>= 1;
    return r;
}
static int digits(unsigned long long n) { int s = 0; do s += n % 10; while (n /= 10); return s; }

int main(void)
{
    for (unsigned i = 0; i < 256; i++) {
        unsigned c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        table[i] = c;
    }
    printf("%x\n", crc((const unsigned char *)"123456789", 9));
    for (int i = 0; i < 40; i += 13)
        printf("%x ", rotate(0x80000001u, i));
    printf("\n%llx %x\n", rotate64(0x123456789abcdef0ull, 20), swap16(0x1234));
    printf("%d %d\n", fixed_multiply(3 << 15, -5 << 16), fixed_multiply(-1, 1));
    printf("%u %u %u\n", root(144), root(4294967295u), root(2));
    printf("%d %d\n", digits(18446744073709551615ull), digits(0));
    unsigned long long state = 88172645463325252ull;
    for (int i = 0; i < 5; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        printf("%llu ", state);
    }
    printf("\n");
    unsigned a = 1, b = 0;
    for (const char *p = "Adler checksum"; *p; p++)
        a = (a + *p) % 65521, b = (b + a) % 65521;
    printf("%x\n", b << 16 | a);
    return 0;
}
