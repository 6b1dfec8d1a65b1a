// Freeing the same block twice.
// outcome: invalid-free
void *malloc(__SIZE_TYPE__);
void free(void *);

int main(void)
{
    char *p = malloc(10), *q = p;
    free(p);
    free(q);
    return 0;
}
