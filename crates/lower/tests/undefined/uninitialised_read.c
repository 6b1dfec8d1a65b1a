// Reading a variable before it is written is no error, and the value stays the same until written.
// outcome: returned 4
static int same(int a, int b) { return a == b; }

int main(void)
{
    int x, list[3];
    unsigned char c;
    int *p = &x;
    if (!same(x, *p) || !same(list[1], list[1]) || c > 255)
        return 1;
    int y = x;
    if (y != x || y - *p != 0)
        return 2;
    list[1] = 4;
    return list[1];
}
