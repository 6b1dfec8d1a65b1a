// The program traps.
// outcome: aborted
int main(void)
{
    int n = 3;
    if (n > 2)
        __builtin_trap();
    return 0;
}
