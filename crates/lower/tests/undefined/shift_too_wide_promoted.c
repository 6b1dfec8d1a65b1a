// A shift of a char by 31 is fine since it is promoted; by 32 it is not.
// outcome: shift-out-of-range
int main(void)
{
    unsigned char c = 1;
    int by = 31;
    if (c << by >= 0)
        return 1;
    by++;
    c >>= by;
    return c;
}
