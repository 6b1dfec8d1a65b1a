// Assumptions that hold change nothing and are evaluated once.
// inputs: 10 20
// outcome: returned 31
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), calls = 0;
    __VERIFIER_assume(a < b);
    __VERIFIER_assume(a > 5 && b > 15 || b == 3);
    __VERIFIER_assume(++calls);
    __VERIFIER_assume(256);
    return a + b + calls;
}
