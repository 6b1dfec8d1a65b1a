// Arguments are evaluated from right to left, operands from left to right.
// inputs: 1 2 3 4 5 6 7
// outcome: returned 138
extern int __VERIFIER_nondet_int(void);

static int digits(int a, int b, int c) { return a * 100 + b * 10 + c; }

int main(void)
{
    int n = digits(__VERIFIER_nondet_int(), __VERIFIER_nondet_int(), __VERIFIER_nondet_int());
    if (n != 321)
        return 1;
    int difference = __VERIFIER_nondet_int() - __VERIFIER_nondet_int();
    if (difference != -1)
        return 2;
    int list[2] = {__VERIFIER_nondet_int(), __VERIFIER_nondet_int()};
    return list[0] * 10 + list[1] * 11 + difference * -1;
}
