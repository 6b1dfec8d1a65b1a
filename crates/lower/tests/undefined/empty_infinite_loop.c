// A loop without a body that never ends.
// outcome: step-limit
int main(void)
{
    for (;;)
        ;
}
