// A 64-bit division by a value whose low half only is zero, then by zero.
// outcome: division-by-zero
int main(void)
{
    long long a = 1LL << 40, b = 1LL << 32;
    if (a / b != 256)
        return 1;
    b <<= 31;
    b <<= 1;
    return (int)(a / b);
}
