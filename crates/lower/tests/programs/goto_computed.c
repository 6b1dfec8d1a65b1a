// Checks computed goto: tables of labels, labels in loops, an interpreter.
int printf(const char *, ...);

static int run(const unsigned char *code)
{
    static void *table[] = {&&halt, &&push, &&add, &&multiply, &&loop, [5 ... 7] = &&bad};
    int stack[8], *top = stack, count = 3;
    const unsigned char *pc = code;
    goto *table[*pc++];
push:
    *top++ = *pc++;
    goto *table[*pc++];
add:
    top--, top[-1] += *top;
    goto *table[*pc++];
multiply:
    top--, top[-1] *= *top;
    goto *table[*pc++];
loop:
    if (--count)
        pc = code + *pc;
    else
        pc++;
    goto *table[*pc++];
bad:
    return -1;
halt:
    return top[-1];
}

int main(void)
{
    printf("%d\n", run((unsigned char[]){1, 2, 1, 3, 2, 1, 4, 3, 0}));
    printf("%d\n", run((unsigned char[]){1, 1, 1, 2, 3, 1, 5, 2, 4, 2, 0}));
    printf("%d\n", run((unsigned char[]){1, 9, 6}));
    void *next = &&even;
    int evens = 0, odds = 0;
    for (int i = 0; i < 7; i++) {
        goto *next;
    even:
        evens += i;
        next = &&odd;
        continue;
    odd:
        odds += i;
        next = i > 3 ? &&out : &&even;
    }
out:
    printf("%d %d\n", evens, odds);
    void *p = &&one, *q = &&one;
    printf("%d %d\n", p == q, p != &&two);
    goto *(evens ? &&one : &&two);
one:
    printf("one\n");
two:
    return 0;
}
