// A write just after the end of a variable-length array.
// outcome: out-of-bounds
int main(void)
{
    int n = 6;
    char list[n];
    list[n - 1] = 1;
    list[n] = 1;
    return list[0];
}
