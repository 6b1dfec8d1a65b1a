int undeclared(int a, int b, int c) { return a * 10000 + b * 100 + c; }
double real(double d, int n) { return d * n; }
int narrow(c, s)
char c;
unsigned short s;
{
    return c * 100000 + s;
}
long long wide(long long n) { return n + 1; }
char *text(void) { return "text"; }
