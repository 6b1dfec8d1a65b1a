// Values of type _Bool steer branches.
// inputs: 1 0 1 1 0
// outcome: returned 22
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    int n = 0;
    for (int i = 0; i < 5; i++)
        n = n * 2 + (__VERIFIER_nondet_bool() ? 1 : 0);
    return n;
}
