// Values of type size_t choose sizes and subscripts.
// inputs: 3 2
// outcome: returned 30
extern __SIZE_TYPE__ __VERIFIER_nondet_size_t(void);

int main(void)
{
    __SIZE_TYPE__ n = __VERIFIER_nondet_size_t();
    int list[n];
    for (__SIZE_TYPE__ i = 0; i < n; i++)
        list[i] = (i + 1) * 10;
    return list[__VERIFIER_nondet_size_t()];
}
