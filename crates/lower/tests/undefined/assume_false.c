// An assumption fails before the error.
// outcome: blocked
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);

int main(void)
{
    int n = 4;
    __VERIFIER_assume(n > 3);
    __VERIFIER_assume(0);
    __VERIFIER_error();
    return 0;
}
