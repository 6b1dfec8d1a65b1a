// Checks wrap-around of unsigned arithmetic at every width.
int printf(const char *, ...);

int main(void)
{
    unsigned char c = 255;
    unsigned short s = 65535;
    unsigned i = 4294967295u;
    unsigned long l = -1;
    unsigned long long ll = -1;
    printf("%d %d %u %d %llu\n", (unsigned char)(c + 1), (unsigned short)(s + 1), i + 1, l + 1 == 0, ll + 1);
    c++, s++, i++, l++, ll++;
    printf("%d %d %u %lu %llu\n", c, s, i, l, ll);
    c--, s--, i--, l--, ll--;
    printf("%d %d %u %lx %llu\n", c, s, i, l, ll);
    printf("%u %llu\n", i * i, ll * ll);
    printf("%u %llu\n", i * 3, ll * 3);
    printf("%u %llu\n", 0u - 1u, 0ull - 1ull);
    printf("%u %llu\n", -5u, -5ull);
    printf("%u %u\n", -5u / 2, -5u % 7);
    printf("%llu %llu\n", -5ull / 2, -5ull % 7);
    printf("%d\n", 0u - 1 > 0);
    unsigned hash = 2166136261u;
    for (const char *p = "wrap-around"; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 16777619u;
    printf("%u\n", hash);
    unsigned long long wide = 14695981039346656037ull;
    for (const char *p = "wrap-around"; *p; p++)
        wide = (wide ^ (unsigned char)*p) * 1099511628211ull;
    printf("%llu\n", wide);
    int count = 0;
    for (unsigned char k = 250; k >= 250; k++)
        count++;
    printf("%d\n", count);
    return 0;
}
