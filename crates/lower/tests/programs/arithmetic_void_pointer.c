// Checks GNU arithmetic on void pointers and function pointers, and casts of null.
int printf(const char *, ...);

static int f(void) { return 1; }

int main(void)
{
    int list[4] = {1, 2, 3, 4};
    void *p = list;
    p += sizeof(int);
    printf("%d\n", *(int *)p);
    printf("%d\n", *(int *)(p + 4));
    p++, p += 3, p--, p++;
    printf("%d %d\n", *(int *)p, (int)(p - (void *)list));
    printf("%d %d\n", (int)sizeof(void), (int)sizeof(f));
    printf("%d\n", (int)sizeof *p);
    const void *end = (char *)list + sizeof list;
    int count = 0;
    for (void *q = list; q < end; q += 4)
        count += *(int *)q;
    printf("%d\n", count);
    void **chain[2];
    chain[0] = (void **)&chain[1], chain[1] = 0;
    printf("%d\n", *chain[0] == 0);
    int (*g)(void) = f;
    g = (void *)((char *)g + 2 - 2);
    printf("%d\n", g());
    printf("%d %d\n", (void *)0 == (char *)0, (int *)0 + 3 == (int *)12);
    return 0;
}
