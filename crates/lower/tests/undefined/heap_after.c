// A write just after the end of a heap block.
// outcome: out-of-bounds
void *malloc(__SIZE_TYPE__);

int main(void)
{
    int n = 5;
    int *p = malloc(n * sizeof *p), *other = malloc(n * sizeof *p);
    if (!p || !other)
        return 1;
    for (int i = 0; i <= n; i++)
        p[i] = i;
    return 0;
}
