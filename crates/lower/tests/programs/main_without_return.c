// Checks that main without a return statement returns zero, and functions whose result is dropped.
int printf(const char *, ...);

static int side;
static int maybe(int n)
{
    if (n > 0)
        return n;
    side++;
}
static void early(int n)
{
    if (n)
        return;
    side += 10;
}
static void forward(int n) { return early(n); }

int main(void)
{
    maybe(0);
    maybe(1);
    early(0), early(1);
    forward(0);
    (void)maybe(-1);
    printf("%d %d\n", side, maybe(5));
}
