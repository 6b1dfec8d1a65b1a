// Checks that in a sum of a pointer and an integer the pointer is evaluated first.
int printf(const char *, ...);

static int list[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, *p, trace;
static int move(int n) { trace = trace * 10 + n; p = list + n; return 1; }
static int *at(int n) { trace = trace * 10 + n; return list + n; }

int main(void)
{
    p = list;
    printf("%d\n", *(p + move(3)));
    p = list;
    printf("%d\n", *(move(3) + p));
    p = list;
    printf("%d\n", *(2 + move(3) + p));
    trace = 0;
    printf("%d", *(move(2) + at(4)));
    printf(" %d\n", trace);
    p = list;
    printf("%d\n", p == list + move(3));
    return 0;
}
