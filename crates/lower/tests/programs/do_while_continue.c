// Checks that continue in do-while evaluates the condition and that the body runs at least once.
int printf(const char *, ...);

static int tests;
static int test(int n) { tests++; return n; }

int main(void)
{
    int i = 0, seen = 0;
    do {
        i++;
        if (i % 2)
            continue;
        seen += i;
    } while (test(i < 7));
    printf("%d %d %d\n", i, seen, tests);
    do
        seen++;
    while (test(0));
    do {
        continue;
        seen = 0;
    } while (test(seen++ < 20));
    printf("%d %d\n", seen, tests);
    do {
        if (seen > 10)
            break;
    } while (test(1));
    printf("%d\n", tests);
    i = 3;
    do
        do
            if (i & 1)
                continue;
            else
                seen++;
        while (i-- > 2);
    while (i > 0);
    printf("%d %d\n", i, seen);
    do {
        switch (i) {
        case 0: i = 5; continue;
        case 5: i = 9; break;
        case 9: goto out;
        }
        tests++;
    } while (i < 100);
out:
    printf("%d %d\n", i, tests);
    return 0;
}
