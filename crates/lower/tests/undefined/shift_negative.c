// A shift by a negative amount.
// outcome: shift-out-of-range
int main(void)
{
    int by = -1;
    return 4 >> by;
}
