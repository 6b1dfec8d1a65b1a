// A read just before a local array.
// outcome: out-of-bounds
int main(void)
{
    int before[4] = {1, 2, 3, 4}, list[4] = {5, 6, 7, 8}, after[4] = {9};
    int *p = list, i = 3;
    while (p[i] != 0)
        i--;
    return before[0] + after[0];
}
