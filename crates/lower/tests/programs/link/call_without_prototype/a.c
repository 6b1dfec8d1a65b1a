// Checks calls of functions of another unit that are not declared or declared without parameters.
int printf(const char *, ...);
double real();
int narrow();
long long wide();
char *text();

int main(void)
{
    char c = -5;
    float f = 2.5f;
    printf("%d\n", undeclared(1, c, 'a'));
    printf("%f\n", real(f, 3));
    printf("%d\n", narrow(300, -1));
    printf("%lld %s\n", wide(1LL << 40), text());
    int (*p)() = narrow;
    printf("%d\n", p(7, 8));
    return 0;
}
