// The quotient of the smallest long long and minus one; the smallest int is no problem there.
// outcome: division-overflow
int main(void)
{
    long long a = -2147483648LL, b = -1;
    if (a / b != 2147483648LL)
        return 1;
    a = -9223372036854775807LL - 1;
    return (int)(a / b);
}
