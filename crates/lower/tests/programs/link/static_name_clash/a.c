// Checks that static functions and objects of the same name in two units stay apart.
int printf(const char *, ...);
int other(void);
int *other_address(void);

static int counter = 1;
static int step(void) { return counter += 1; }
static struct s { int n; } record = {10};
enum { SIZE = 3 };
static int list[SIZE] = {1, 2, 3};

int main(void)
{
    for (int i = 0; i < 3; i++)
        printf("%d %d\n", step(), other());
    printf("%d %d\n", counter, *other_address());
    printf("%d %d %d\n", &counter != other_address(), record.n, (int)sizeof list);
    return 0;
}
