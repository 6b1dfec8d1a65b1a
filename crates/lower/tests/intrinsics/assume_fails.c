// An assumption about a value fails.
// inputs: 4 4
// outcome: blocked
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int a = __VERIFIER_nondet_int();
    __VERIFIER_assume(a > 3);
    int b = __VERIFIER_nondet_int();
    __VERIFIER_assume(b > a);
    return b;
}
