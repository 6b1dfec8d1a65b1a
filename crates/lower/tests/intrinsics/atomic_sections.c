// Atomic sections are plain code.
// inputs: 4
// outcome: returned 10
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int shared;

static void __VERIFIER_atomic_add(int n) { shared += n; }

int main(void)
{
    __VERIFIER_atomic_begin();
    shared = __VERIFIER_nondet_int();
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_add(6);
    return shared;
}
