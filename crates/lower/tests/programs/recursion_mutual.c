// Checks recursion: mutual, deep, with locals whose address is passed down, and through pointers.
int printf(const char *, ...);

static int even(unsigned n);
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }

static int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static void hanoi(int n, char from, char to, char by, int *moves)
{
    if (!n)
        return;
    hanoi(n - 1, from, by, to, moves);
    ++*moves;
    if (n == 4)
        printf("%c->%c\n", from, to);
    hanoi(n - 1, by, to, from, moves);
}

struct frame { int n; struct frame *up; };
static int sum_up(struct frame *up, int n)
{
    struct frame here = {n, up};
    if (n < 6)
        return sum_up(&here, n + 1);
    int s = 0;
    for (struct frame *f = &here; f; f = f->up)
        s = s * 10 + f->n;
    return s;
}

static int twice(int (*f)(int), int n) { return f(f(n)); }
static int step(int n) { return n > 100 ? n - 10 : twice(step, n + 11); }

static int permutations(int *list, int n, int k)
{
    int count = k == n ? list[0] < list[n - 1] : 0;
    for (int i = k; i < n; i++) {
        int t = list[i];
        list[i] = list[k], list[k] = t;
        count += permutations(list, n, k + 1);
        t = list[i], list[i] = list[k], list[k] = t;
    }
    return count;
}

int main(int argc, char **argv)
{
    int moves = 0, list[] = {1, 2, 3, 4};
    printf("%d %d %d\n", even(10), odd(7), even(301));
    printf("%d\n", ackermann(2, 5));
    hanoi(4, 'a', 'c', 'b', &moves);
    printf("%d\n", moves);
    printf("%d\n", sum_up(0, 1));
    printf("%d\n", step(95));
    printf("%d\n", permutations(list, 4, 0));
    if (argc < 5)
        return main(argc + 4, argv);
    return argc;
}
