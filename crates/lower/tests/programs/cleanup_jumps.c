// Checks cleanup functions on jumps back, in initialisers that return, and of variable-length arrays.
int printf(const char *, ...);

static void show(int *p) { printf("clean %d\n", *p); }
static void show_first(int (*p)[]) { printf("clean array %d\n", (*p)[0]); }

static int back(void)
{
    int i = 0;
again:;
    int x __attribute__((cleanup(show))) = i;
    if (i++ < 2)
        goto again;
    return x + 10;
}

static int early(int leave)
{
    int x __attribute__((cleanup(show))) = ({ if (leave) return 5; 6; });
    return x + 1;
}

static int array(int n)
{
    int a[n] __attribute__((cleanup(show_first)));
    a[0] = n;
    return a[0] + 1;
}

int main(void)
{
    printf("%d\n", back());
    printf("%d %d\n", early(1), 0);
    printf("%d\n", early(0));
    printf("%d\n", array(3));
    return 0;
}
