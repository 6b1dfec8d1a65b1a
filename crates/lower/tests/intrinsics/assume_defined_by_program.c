// A program's own definition of an assumption function is used as it stands.
// inputs: 3 1
// outcome: exited 9
extern int __VERIFIER_nondet_int(void);
void exit(int);

static void assume_abort_if_not(int condition)
{
    if (!condition)
        exit(9);
}

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    assume_abort_if_not(a > 2);
    assume_abort_if_not(b > 2);
    return 0;
}
