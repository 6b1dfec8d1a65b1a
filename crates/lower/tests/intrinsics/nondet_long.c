// Values of the long types.
// inputs: -2147483648 4294967295 -5
// outcome: returned 3
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);

int main(void)
{
    long l = __VERIFIER_nondet_long();
    unsigned long u = __VERIFIER_nondet_ulong();
    return (l < 0) + (u == 4294967295ul) + (__VERIFIER_nondet_long() == -5);
}
