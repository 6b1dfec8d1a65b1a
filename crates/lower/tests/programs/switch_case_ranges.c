// Checks switch: case ranges, fall-through, default in the middle, nesting, empty and skipped code.
int printf(const char *, ...);

static int classify(int c)
{
    switch (c) {
    case '0' ... '9': return 1;
    case 'a' ... 'f':
    case 'A' ... 'F': return 2;
    default: return 0;
    case 'x': return 3;
    case -100 ... -50: return 4;
    case -1: return 5;
    case 1000 ... 1000: return 6;
    }
}

static int fall(int n)
{
    int r = 0;
    switch (n) {
    default: r += 100;
    case 1: r += 1;
    case 2: r += 2; break;
    case 3: r += 3;
    case 4: ;
    }
    return r;
}

static int nested(int a, int b)
{
    switch (a) {
    case 0:
        switch (b) {
        case 0: break;
        case 1: return 1;
        default: a = 5; break;
        }
        break;
    case 1: {
        int local;
        case 2: local = b; return local + 10;
    }
    }
    return a + 100;
}

int main(void)
{
    const char *text = "09afAFgx/:@G`";
    for (int i = 0; text[i]; i++)
        printf("%d", classify(text[i]));
    printf(" %d %d %d %d %d\n", classify(-100), classify(-50), classify(-49), classify(-1), classify(1000));
    for (int i = 0; i < 6; i++)
        printf("%d ", fall(i));
    printf("\n");
    for (int i = 0; i < 9; i++)
        printf("%d ", nested(i / 3, i % 3));
    printf("\n");
    int n = 0;
    switch (n++) ;
    switch (n++) { }
    switch (n) case 2: printf("single\n");
    switch (n) { n = 50; printf("never\n"); }
    switch (n) { default: if (n) { case 9: n++; } else case 10: n--; }
    printf("%d\n", n);
    return 0;
}
