// Values of type unsigned.
// inputs: 4294967295 2147483648 7
// outcome: returned 7
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned int __VERIFIER_nondet_unsigned(void);

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    if (a + 1 != 0 || a < b || (int)b > 0)
        return 1;
    return __VERIFIER_nondet_unsigned();
}
