// Checks abs-like functions and atoi of the C library.
int printf(const char *, ...);
int abs(int);
long labs(long);
long long llabs(long long);
int atoi(const char *);
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
    return 0;
}
