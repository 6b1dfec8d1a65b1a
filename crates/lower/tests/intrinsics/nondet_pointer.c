// Values of pointer type.
// inputs: 0 4096
// outcome: returned 3
extern void *__VERIFIER_nondet_pointer(void);

int main(void)
{
    void *p = __VERIFIER_nondet_pointer();
    char *q = __VERIFIER_nondet_pointer();
    return (p == 0) + 2 * ((__UINTPTR_TYPE__)q == 4096);
}
