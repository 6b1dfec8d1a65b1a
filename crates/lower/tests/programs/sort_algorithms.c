// Checks sorting with pointers, generic comparison functions and swaps of elements of any size.
int printf(const char *, ...);

struct record { char name[3]; int key; };

static void swap(void *a, void *b, int size)
{
    char *p = a, *q = b, t;
    while (size--)
        t = *p, *p++ = *q, *q++ = t;
}
static void sort(void *base, int n, int size, int (*compare)(const void *, const void *))
{
    char *first = base;
    if (n < 2)
        return;
    int last = 0;
    swap(first, first + n / 2 * size, size);
    for (int i = 1; i < n; i++)
        if (compare(first + i * size, first) < 0)
            swap(first + ++last * size, first + i * size, size);
    swap(first, first + last * size, size);
    sort(first, last, size, compare);
    sort(first + (last + 1) * size, n - last - 1, size, compare);
}
static int by_int(const void *a, const void *b) { return (*(int *)a > *(int *)b) - (*(int *)a < *(int *)b); }
static int by_key(const void *a, const void *b) { return ((struct record *)b)->key - ((const struct record *)a)->key; }
static int by_text(const void *a, const void *b)
{
    const char *s = *(char **)a, *t = *(char **)b;
    while (*s && *s == *t)
        s++, t++;
    return (unsigned char)*s - (unsigned char)*t;
}

int main(void)
{
    int list[20];
    unsigned seed = 7;
    for (int i = 0; i < 20; i++)
        list[i] = (seed = seed * 1103515245 + 12345) >> 16 & 255, list[i] -= 128;
    sort(list, 20, sizeof *list, by_int);
    for (int i = 0; i < 20; i++)
        printf("%d ", list[i]);
    printf("\n");
    struct record records[] = {{"ab", 3}, {"cd", 9}, {"ef", -1}, {"gh", 5}};
    sort(records, 4, sizeof *records, by_key);
    for (int i = 0; i < 4; i++)
        printf("%s %d ", records[i].name, records[i].key);
    printf("\n");
    const char *words[] = {"pear", "apple", "fig", "apples", ""};
    sort(words, 5, sizeof *words, by_text);
    for (int i = 0; i < 5; i++)
        printf("%s,", words[i]);
    printf("\n");
    return 0;
}
