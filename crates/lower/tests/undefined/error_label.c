// The label ERROR is reached.
// outcome: error
static int step(int n)
{
    if (n > 3)
        goto ERROR;
    return n + 1;
ERROR:
    return -1;
}

int main(void)
{
    int n = 0;
    while (n >= 0)
        n = step(n);
    return 0;
}
