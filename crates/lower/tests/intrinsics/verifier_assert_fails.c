// A program's own assertion function fails for the last value.
// inputs: 2 4 7
// outcome: error
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { }

void __VERIFIER_assert(int condition)
{
    if (!condition) {
    ERROR:
        reach_error();
    }
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        __VERIFIER_assert(__VERIFIER_nondet_int() % 2 == 0);
    return 0;
}
