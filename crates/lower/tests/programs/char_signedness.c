// Checks that plain char is signed and the conversions from, to and between character types.
int printf(const char *, ...);

static int index_of(char c) { return c; }
static int unsigned_index_of(unsigned char c) { return c; }

int main(void)
{
    char c = 200;
    signed char s = 200;
    unsigned char u = 200;
    printf("%d %d %d\n", c, s, u);
    printf("%d %d %d\n", c == s, c == u, (unsigned char)c == u);
    printf("%d %d\n", (char)-1 < 0, (char)255 == -1);
    printf("%d %d %d\n", '\377', '\x80', (unsigned char)'\377');
    printf("%d %d\n", "\xff"[0], "\xff"[0] == '\xff');
    printf("%d %d\n", index_of(u), unsigned_index_of(c));
    printf("%u %x\n", (unsigned)c, (unsigned)(unsigned char)c);
    printf("%lld %llx\n", (long long)c, (unsigned long long)c);
    printf("%d %d\n", c >> 1, u >> 1);
    printf("%d %d\n", (char)(c << 1), (unsigned char)(u << 1));
    char line[4] = {128, 'a', -56, 0};
    int sum = 0;
    for (char *p = line; *p; p++)
        sum += *p;
    printf("%d\n", sum);
    unsigned char *bytes = (unsigned char *)line;
    sum = 0;
    for (int i = 0; bytes[i]; i++)
        sum += bytes[i];
    printf("%d\n", sum);
    int n = 0;
    for (char k = 1; k > 0; k++)
        n++;
    printf("%d\n", n);
    printf("%d %d\n", (char)300, (signed char)-300);
    return 0;
}
