// A signed division by zero.
// outcome: division-by-zero
int main(void)
{
    int a = 10, b = 3;
    for (;;)
        a /= b--;
}
