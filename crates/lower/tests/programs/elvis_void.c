// Checks that a conditional without middle operand may have no value.
int printf(const char *, ...);

static int count;
static int f(int n) { count++; return n; }
static void g(void) { count += 10; }

int main(void)
{
    f(0) ?: g();
    printf("%d\n", count);
    f(1) ?: g();
    printf("%d\n", count);
    f(0) ?: f(2);
    printf("%d\n", count);
    return 0;
}
