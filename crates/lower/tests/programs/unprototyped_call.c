// Checks calls without a prototype: implicit declaration, empty parentheses, promotion of arguments.
int printf(const char *, ...);

int declared();
double real();

int main(void)
{
    char c = -3;
    unsigned char u = 250;
    short s = -300;
    float f = 1.5f;
    printf("%d\n", declared(c, u, s));
    printf("%d\n", implicit(c + 1, u));
    printf("%f\n", real(f, 2.0));
    printf("%d\n", pointers(&c, "text"));
    int (*p)() = declared;
    printf("%d\n", p(1, 2, 3));
    printf("%d\n", (*p)('a', 'b', (_Bool)7));
    int local();
    printf("%d\n", local(f));
    printf("%d\n", ignored());
    return 0;
}

int declared(int a, int b, int c) { return a * 10000 + b * 10 + c; }
int implicit(int a, int b) { return a * 1000 + b; }
double real(double a, double b) { return a - b; }
int pointers(char *c, const char *s) { return *c + s[2]; }
int local(double d) { return (int)(d * 8); }
int ignored() { return 4; }
