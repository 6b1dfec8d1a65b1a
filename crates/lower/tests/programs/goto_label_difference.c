// Checks computed goto to a label plus a difference of labels from a constant table.
int printf(const char *, ...);

static int relative(int n)
{
    static const int offsets[] = {&&a - &&a, &&b - &&a, &&c - &&a};
    goto *(&&a + offsets[n]);
a:  return 'a';
b:  return 'b';
c:  return 'c';
}

int main(void)
{
    for (int i = 2; i >= 0; i--)
        printf("%c", relative(i));
    printf("\n");
    return 0;
}
