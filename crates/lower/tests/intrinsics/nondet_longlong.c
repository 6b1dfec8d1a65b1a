// Values of the 64-bit types.
// inputs: -9223372036854775808 18446744073709551615 1099511627776
// outcome: returned 3
extern long long __VERIFIER_nondet_longlong(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);

int main(void)
{
    long long l = __VERIFIER_nondet_longlong();
    unsigned long long u = __VERIFIER_nondet_ulonglong();
    return (l == -9223372036854775807LL - 1) + (u + 1 == 0) + (__VERIFIER_nondet_longlong() >> 40 == 1);
}
