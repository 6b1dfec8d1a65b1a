// Checks abs-like functions, string to number conversions and sorting of the C library.
int printf(const char *, ...);
int abs(int);
long labs(long);
long long llabs(long long);
int atoi(const char *);
long strtol(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
double fabs(double);

int main(void)
{
    int values[] = {0, 5, -5, 2147483647, -2147483647};
    for (int i = 0; i < 5; i++)
        printf("%d %ld %lld %f\n", abs(values[i]), labs(values[i]), llabs(values[i] * 3LL), fabs(values[i]));
    const char *texts[] = {"42", "  -17x", "+8", "", "abc", "007", "2147483647"};
    for (int i = 0; i < 7; i++)
        printf("%d ", atoi(texts[i]));
    printf("\n");
    char *end;
    const char *s = "0x1fz";
    printf("%ld ", strtol(s, &end, 0)), printf("%s\n", end);
    printf("%ld ", strtol(s, &end, 10)), printf("%s\n", end);
    s = "-1010 12";
    printf("%ld ", strtol(s, &end, 2)), printf("%s\n", end);
    s = "none";
    printf("%ld ", strtol(s, &end, 10)), printf("%d\n", end == s);
    printf("%lu %ld\n", strtoul("777", 0, 8), strtol("zz", 0, 36));
    return 0;
}
