// Checks variables with a cleanup function: order, early return, break, goto, nested scopes.
int printf(const char *, ...);

static int trace;
static void done(int *p) { trace = trace * 10 + *p; }
static void clear(char **p) { *p = 0; trace *= 10; }
#define auto_done __attribute__((cleanup(done)))

static int order(void)
{
    int a auto_done = 1;
    int b auto_done = 2;
    { int c auto_done = 3; }
    b = 4;
    return trace;
}

static int early(int n)
{
    int a auto_done = 5;
    if (n) {
        int b auto_done = 6;
        return a + b;
    }
    int c auto_done = 7;
    return c;
}

static int value(void) { int n auto_done = 8; return n++; }

static int jumps(void)
{
    for (int i = 1; i < 6; i++) {
        int a auto_done = i;
        if (i == 2)
            continue;
        if (i == 4)
            break;
    }
    {
        int b auto_done = 9;
        goto out;
    }
out:
    return 0;
}

int main(void)
{
    printf("%d ", order()), printf("%d\n", trace), trace = 0;
    printf("%d ", early(1)), printf("%d\n", trace), trace = 0;
    printf("%d ", early(0)), printf("%d\n", trace), trace = 0;
    printf("%d ", value()), printf("%d\n", trace), trace = 0;
    jumps(), printf("%d\n", trace), trace = 1;
    { char *p __attribute__((cleanup(clear))) = "text"; }
    printf("%d\n", trace);
    trace = 0;
    int x = ({ int y auto_done = 2; y + 1; });
    printf("%d %d\n", x, trace);
    return 0;
}
