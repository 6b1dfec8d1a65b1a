// Checks that the status is what main returns, cut to eight bits, when output came before.
int printf(const char *, ...);
int puts(const char *);
int putchar(int);

static int compute(int n) { return n * 300 + 7; }

int main(int argc, char *argv[])
{
    printf("%d %d\n", argc, argv[argc] == 0);
    puts("puts adds a newline");
    putchar('c');
    putchar('\n');
    printf("%x %c %s %%\n", 255, 65, "ab");
    return compute(1);
}
