// Checks round trips between pointers and integers, tag bits and alignment arithmetic.
int printf(const char *, ...);
typedef __UINTPTR_TYPE__ word;
typedef __INTPTR_TYPE__ signed_word;

struct node { int value; word next; };

static void *align(void *p, word to) { return (void *)(((word)p + to - 1) & ~(to - 1)); }

static int triple(int n) { return 3 * n; }

int main(void)
{
    int list[8] = {10, 11, 12, 13, 14, 15, 16, 17};
    word n = (word)&list[2];
    printf("%d\n", *(int *)n);
    n += 3 * sizeof(int);
    printf("%d\n", *(int *)n);
    n |= 1;
    printf("%d %d\n", (int)(n & 1), *(int *)(n & ~(word)3));
    signed_word back = (signed_word)&list[5] - (signed_word)&list[1];
    printf("%d\n", (int)back);
    struct node b = {2, 0}, a = {1, (word)&b | 1};
    struct node *p = (struct node *)(a.next & ~(word)1);
    printf("%d %d\n", p->value, (int)(a.next & 1));
    char buffer[64];
    char *aligned = align(buffer + 1, 16);
    printf("%d %d %d\n", (int)((word)aligned % 16), aligned > buffer, aligned <= buffer + 16);
    word x = (word)&a ^ (word)&b;
    printf("%d\n", ((struct node *)(x ^ (word)&a))->value);
    printf("%d %d\n", (word)(void *)0 == 0, (int)(word)(char *)42);
    void *minus = (void *)-1;
    printf("%d %d\n", minus == (void *)-1L, (signed_word)minus == -1);
    printf("%d\n", (int)(word)(void *)(signed char)-3 == -3);
    int (*f)(int) = (int (*)(int))(word)triple;
    printf("%d\n", f(7));
    return (int)(word)((char *)0 + 5);
}
