// Checks alloca: memory until the function returns, in loops and with varying sizes.
int printf(const char *, ...);
void *memset(void *, int, __SIZE_TYPE__);

struct node { struct node *next; int n; };

static int chain(int n)
{
    struct node *head = 0;
    for (int i = 0; i < n; i++) {
        struct node *p = __builtin_alloca(sizeof *p);
        p->next = head;
        p->n = i;
        head = p;
    }
    int sum = 0;
    for (; head; head = head->next)
        sum = sum * 2 + head->n;
    return sum;
}

static int nested(int n)
{
    int *own = __builtin_alloca(n * sizeof(int));
    for (int i = 0; i < n; i++)
        own[i] = n;
    int inner = n > 1 ? nested(n - 1) : 0;
    for (int i = 0; i < n; i++)
        inner += own[i];
    return inner;
}

int main(void)
{
    for (int i = 0; i < 20; i += 6)
        printf("%d ", chain(i));
    printf("\n%d\n", nested(6));
    char *kept = 0;
    if (chain(1) == 0) {
        char *p = __builtin_alloca(10);
        memset(p, 'x', 9);
        p[9] = 0;
        kept = p;
    }
    chain(50);
    printf("%s\n", kept);
    char *a = __builtin_alloca(1), *b = __builtin_alloca(1);
    *a = 1, *b = 2;
    printf("%d %d\n", a != b, *a);
    printf("%d\n", (int)((__UINTPTR_TYPE__)__builtin_alloca(3) % 8));
    return 0;
}
