// Checks that operands narrower than int are promoted to int before arithmetic.
int printf(const char *, ...);

int main(void)
{
    unsigned char a = 200, b = 100;
    signed char c = -1;
    unsigned short s = 65535, t = 65535;
    short n = -32768;
    _Bool yes = 1;
    int sum = a + b;
    printf("%d %d\n", sum, (unsigned char)(a + b));
    printf("%d %d %d\n", ~a, -a, !a);
    printf("%d %d\n", a - 201, a * b);
    printf("%d %x\n", ~c, c & 0xffff);
    printf("%d %d\n", (unsigned char)~a == ~a, (unsigned char)~a);
    printf("%d %d\n", s + 1, s * 2);
    printf("%u\n", (unsigned)s * t);
    printf("%d\n", s * t);
    printf("%d %d\n", -n, (short)-n);
    printf("%d %d %d\n", ~yes, -yes, yes + yes);
    printf("%d\n", yes << 4);
    printf("%d %d\n", a << 24 >> 24, (a << 4) >> 4);
    printf("%d\n", (a > c) + (s > n) + (a == 200));
    printf("%d %d %d\n", (int)sizeof(a + b), (int)sizeof(+a), (int)sizeof(a));
    printf("%d %d\n", (int)sizeof(yes), (int)sizeof(-yes));
    printf("%d %d\n", (int)sizeof(1 ? a : b), (int)sizeof(a, b));
    printf("%d\n", (int)sizeof(n++));
    a += 100;
    b -= 101;
    c >>= 1;
    s++;
    n--;
    yes += 5;
    printf("%d %d %d %d %d %d\n", a, b, c, s, n, yes);
    a *= 7;
    b /= 3;
    c ^= 0x180;
    printf("%d %d %d\n", a, b, c);
    return 0;
}
