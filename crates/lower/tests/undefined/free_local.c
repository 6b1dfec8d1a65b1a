// Freeing a local variable.
// outcome: invalid-free
void free(void *);

int main(void)
{
    int list[4] = {1, 2, 3, 4};
    int *p = list;
    free(0);
    free(p);
    return 0;
}
