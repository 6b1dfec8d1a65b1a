int abs(int x) { return x < 0 ? -x : x; }
long labs(long);
double fabs(double);
unsigned long strlen(const char *);
int printf(const char *, ...);
void abort(void);
void *memcpy(void *, const void *, unsigned long);
int calls(char *s, double d)
{
    printf("%d\n", abs(-1));
    memcpy(s, "x", strlen(s));
    if (labs(3) > fabs(d)) abort();
    __builtin_memcpy(s, "y", 1);
    __builtin_abort();
    return __builtin_abs(2);
}
