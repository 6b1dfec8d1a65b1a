// Checks strtol and strtoul of the C library: bases, signs, where the number ends.
int printf(const char *, ...);
long strtol(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);

int main(void)
{
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
