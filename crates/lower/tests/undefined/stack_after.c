// A write just after the end of a local array.
// outcome: out-of-bounds
static int fill(int *list, int n)
{
    int i;
    for (i = 0; i <= n; i++)
        list[i] = i;
    return i;
}

int main(void)
{
    int before[4] = {0}, list[4], after[4] = {0};
    fill(list, 4);
    return before[0] + after[0];
}
