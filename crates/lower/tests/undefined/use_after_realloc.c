// A write through the old address after realloc moved the block.
// outcome: use-after-free
void *malloc(__SIZE_TYPE__);
void *realloc(void *, __SIZE_TYPE__);

int main(void)
{
    int *old = malloc(4);
    if (!old)
        return 1;
    *old = 5;
    int *new = realloc(old, 1 << 20);
    if (!new || new == old)
        return 1;
    *old = 6;
    return *new;
}
