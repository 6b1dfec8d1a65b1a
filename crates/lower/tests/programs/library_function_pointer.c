// Checks that library functions can be stored, compared and called through pointers.
int printf(const char *, ...);
typedef __SIZE_TYPE__ size_t;
size_t strlen(const char *);
int strcmp(const char *, const char *);
int abs(int);
int toupper(int);
void *malloc(size_t);
void free(void *);

struct allocator { void *(*get)(size_t); void (*put)(void *); };
static const struct allocator heap = {malloc, free};

static void map(int (*f)(int), int *list, int n) { while (n--) list[n] = f(list[n]); }
static int order(int (*compare)(const char *, const char *), const char *a, const char *b) { return compare(a, b) < 0; }

int main(void)
{
    int list[] = {-1, 2, -3};
    map(abs, list, 3);
    printf("%d %d %d\n", list[0], list[1], list[2]);
    int text[] = {'a', 'b', '1'};
    map(toupper, text, 3);
    printf("%c%c%c\n", text[0], text[1], text[2]);
    size_t (*length)(const char *) = strlen;
    printf("%d %d\n", (int)length("four"), length == strlen);
    printf("%d %d\n", order(strcmp, "a", "b"), order(strcmp, "b", "a"));
    int *p = heap.get(sizeof *p);
    *p = 9;
    printf("%d\n", *p);
    heap.put(p);
    return 0;
}
