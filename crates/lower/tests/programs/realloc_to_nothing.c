// Checks that glibc's realloc to size 0 frees.
int printf(const char *, ...);
void *malloc(__SIZE_TYPE__), *realloc(void *, __SIZE_TYPE__);

int main(void)
{
    char *p = malloc(3);
    printf("%d\n", realloc(p, 0) == 0);
    return 0;
}
