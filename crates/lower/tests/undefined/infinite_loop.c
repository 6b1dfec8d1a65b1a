// A loop that never ends.
// outcome: step-limit
int main(void)
{
    unsigned n = 1;
    while (n % 2)
        n += 2;
    return 0;
}
