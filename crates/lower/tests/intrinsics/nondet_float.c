// Values of the floating types.
// inputs: 1.5 -0.25 3
// outcome: returned 12
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);

int main(void)
{
    float f = __VERIFIER_nondet_float();
    double d = __VERIFIER_nondet_double();
    double e = __VERIFIER_nondet_double();
    if (d > 0 || f != 1.5f)
        return 1;
    return (int)((f + d) * e * 4 - e);
}
