// Checks const, restrict and register objects, qualified pointers and casts between them.
int printf(const char *, ...);

static const int limit = 10;
static const int table[] = {1, 2, 3};
static const char *const names[] = {"a", "bc"};
static const struct { int n; const char *s; } records[] = {{1, "one"}, {2, "two"}};

static int sum(const int *restrict p, const int *const end)
{
    register int s = 0;
    while (p != end)
        s += *p++;
    return s;
}
static void copy(int *__restrict to, const int *__restrict__ from, register int n) { while (n-- > 0) to[n] = from[n]; }
static const char *skip(const char *s) { while (*s == ' ') s++; return s; }
static int at(int list[static 3], int i) { return list[i]; }
static int fixed(int list[const restrict 3]) { list[0]++; return *list; }
static int pointer_to_const(const int **p) { static const int other = 77; int old = **p; *p = &other; return old; }

int main(void)
{
    int values[3] = {4, 5, 6}, other[3];
    const int *p = values;
    int *const q = values;
    const int *const r = q + 1;
    *q = 40;
    values[1] = 50;
    printf("%d %d %d\n", *p, *q, *r);
    p = table;
    printf("%d %d\n", p[2], sum(table, table + 3) * limit);
    copy(other, values, 3);
    printf("%d %d\n", other[0], other[2]);
    printf("%s %s\n", names[1], skip("  text"));
    printf("%d %d\n", at(values, 2), fixed(values));
    printf("%s %d\n", records[1].s, records[0].n);
    printf("%d %d\n", pointer_to_const(&p), *p);
    register struct { int a[2]; } reg = {{1, 2}};
    reg.a[0] += 5;
    printf("%d\n", reg.a[0] + reg.a[1]);
    const int k = values[2];
    int list[k];
    list[k - 1] = k;
    printf("%d\n", list[k - 1]);
    *(int *)&values[2] = 1;
    typedef int array[2];
    const array c = {8, 9};
    printf("%d\n", c[1] + values[2]);
    return 0;
}
