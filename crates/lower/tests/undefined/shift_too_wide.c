// A shift of an int by its width.
// outcome: shift-out-of-range
int main(void)
{
    int n = 0, x = 1;
    while (n < 40)
        x |= 1 << n++;
    return x;
}
