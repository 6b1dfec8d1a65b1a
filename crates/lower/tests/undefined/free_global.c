// Freeing a global variable.
// outcome: invalid-free
void free(void *);
static int object;

int main(void)
{
    void *p = &object;
    free(p);
    return 0;
}
