// Values fill an array that is then searched.
// inputs: 5 3 9 9 1 4
// outcome: returned 23
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    __VERIFIER_assume(n > 0 && n < 10);
    int list[n], largest = 0;
    for (unsigned i = 0; i < n; i++) {
        list[i] = __VERIFIER_nondet_int();
        if (list[i] > list[largest])
            largest = i;
    }
    int sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += list[i];
    return sum - largest * 3;
}
