// Values of type int, in the order of the calls.
// inputs: 1 -2 3 -2147483648 2147483647
// outcome: returned 123
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    int c = __VERIFIER_nondet_int();
    int min = __VERIFIER_nondet_int(), max = __VERIFIER_nondet_int();
    if (min >= 0 || min - 1 != max)
        return 1;
    return a * 100 - b * 10 + c;
}
