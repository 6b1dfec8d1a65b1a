// A program's own assertion function holds for each value.
// inputs: 2 4 6
// outcome: returned 12
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { }

void __VERIFIER_assert(int condition)
{
    if (!condition) {
    ERROR:
        reach_error();
    }
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int n = __VERIFIER_nondet_int();
        sum += n;
        __VERIFIER_assert(n % 2 == 0);
    }
    return sum;
}
