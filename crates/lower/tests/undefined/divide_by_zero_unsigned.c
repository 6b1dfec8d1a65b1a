// An unsigned remainder by zero.
// outcome: division-by-zero
int main(void)
{
    unsigned a = 4000000000u, b = 4294967295u;
    b++;
    return a % b;
}
