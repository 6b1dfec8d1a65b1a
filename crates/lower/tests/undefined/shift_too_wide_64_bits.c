// A shift of an unsigned long long by 63 is fine; by 64 it is not.
// outcome: shift-out-of-range
int main(void)
{
    unsigned long long x = ~0ull;
    unsigned char by = 63;
    if (x >> by != 1)
        return 1;
    by++;
    return (int)(x >> by);
}
