// The assertion intrinsic that is only declared fails for the second value.
// inputs: 1 0
// outcome: error
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

int main(void)
{
    __VERIFIER_assert(__VERIFIER_nondet_int());
    __VERIFIER_assert(__VERIFIER_nondet_int());
    return 0;
}
