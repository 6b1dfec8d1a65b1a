// A read just before a heap block.
// outcome: out-of-bounds
void *malloc(__SIZE_TYPE__);

int main(void)
{
    char *other = malloc(8), *p = malloc(8);
    if (!p || !other)
        return 1;
    p += 3;
    for (int i = 0; i < 3; i++)
        *--p = 1;
    return p[-1];
}
