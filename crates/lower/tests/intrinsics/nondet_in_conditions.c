// A value is taken each time a condition is evaluated, and not where it is skipped.
// inputs: 3 2 1 0 0 5 8
// outcome: returned 36
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int loops = 0;
    while (__VERIFIER_nondet_int() != 0)
        loops++;
    int both = __VERIFIER_nondet_int() && __VERIFIER_nondet_int();
    int either = __VERIFIER_nondet_int() || __VERIFIER_nondet_int();
    int last = either ? __VERIFIER_nondet_int() : -1;
    return loops * 10 + both + either + (last == 8 ? 5 : 0);
}
