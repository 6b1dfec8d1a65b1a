// The remainder of the smallest int and minus one.
// outcome: division-overflow
int main(void)
{
    int a = -2147483647, b = -1;
    if (a % b != 0)
        return 1;
    a--;
    return a % b;
}
