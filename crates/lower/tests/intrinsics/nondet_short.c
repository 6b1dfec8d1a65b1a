// Values of the short types.
// inputs: -32768 65535 12 40000
// outcome: returned 4
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);

int main(void)
{
    short s = __VERIFIER_nondet_short();
    unsigned short u = __VERIFIER_nondet_ushort();
    int sum = __VERIFIER_nondet_short() + __VERIFIER_nondet_ushort();
    return (s == -32768) + (u == 65535) + (sum == 40012) + (s + u == 32767);
}
