// The declared type counts, not the name; a declaration inside a function does as well.
// inputs: 200 -1
// outcome: returned 201
int main(void)
{
    extern unsigned char __VERIFIER_nondet_uchar();
    int n = __VERIFIER_nondet_uchar();
    extern int __VERIFIER_nondet_int();
    return n - __VERIFIER_nondet_int();
}
