// A read of four bytes of which the last lies outside of the heap block.
// outcome: out-of-bounds
void *malloc(__SIZE_TYPE__);

int main(void)
{
    char *p = malloc(7);
    if (!p)
        return 1;
    for (int i = 0; i < 7; i++)
        p[i] = 1;
    int first = *(int *)p;
    return first + *(int *)(p + 4);
}
