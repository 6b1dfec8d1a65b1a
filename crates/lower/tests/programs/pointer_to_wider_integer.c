// Checks that an address is extended like a signed number when converted to a wider integer.
int printf(const char *, ...);

static long long table[] = {(long long)(int *)-1, (unsigned long long)(char *)5};

int main(void)
{
    int *p = (int *)-2;
    printf("%lld %lld\n", (long long)p, (long long)(unsigned long)p);
    printf("%llx\n", (unsigned long long)p >> 60);
    printf("%lld %lld\n", table[0], table[1]);
    return 0;
}
