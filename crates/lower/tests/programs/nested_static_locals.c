// Checks static locals: one per declaration, kept between calls, shadowed names, constant initial values.
int printf(const char *, ...);

static int counter = 100;

static int next(void)
{
    static int counter = 5;
    {
        static int counter = 50;
        counter++;
        if (counter % 2) {
            static int counter;
            counter += 1000;
        }
    }
    return counter++;
}

static int other(void) { static int counter = 7; return counter--; }
static int *address(void) { static int cell = 3; return &cell; }

static int depth(int n)
{
    static int deepest, list[4] = {1, 2};
    int mine = n;
    if (n > deepest)
        deepest = n;
    list[n & 3] += mine;
    if (n < 6)
        depth(n + 1);
    return deepest * 1000 + list[0] * 100 + list[1] * 10 + list[3];
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        printf("%d %d %d\n", next(), other(), counter++);
    *address() += 10;
    ++*address();
    printf("%d %d\n", *address(), address() == address());
    printf("%d\n", depth(0));
    printf("%d\n", depth(2));
    for (int i = 0; i < 4; i++) {
        static int kept = 10;
        static const char *const names[] = {"a", "b", "c", "d"};
        int fresh = 10;
        kept += i, fresh += i;
        printf("%d %d %s\n", kept, fresh, names[i]);
    }
    static struct { int n; char *p; } s = {.p = "static"};
    s.n++;
    printf("%d %s\n", s.n, s.p);
    extern int later;
    printf("%d\n", later);
    {
        int counter = 1;
        {
            extern int later;
            later += counter;
        }
    }
    return later;
}

int later = 41;
