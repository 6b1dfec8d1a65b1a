// Freeing an address inside a block.
// outcome: invalid-free
void *malloc(__SIZE_TYPE__);
void free(void *);

int main(void)
{
    char *p = malloc(10);
    if (!p)
        return 1;
    p++;
    free(p);
    return 0;
}
