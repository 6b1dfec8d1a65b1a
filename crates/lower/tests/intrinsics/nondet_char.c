// Values of the character types, with their signs.
// inputs: -128 255 65 -1
// outcome: returned 5
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern signed char __VERIFIER_nondet_schar(void);

int main(void)
{
    char c = __VERIFIER_nondet_char();
    unsigned char u = __VERIFIER_nondet_uchar();
    char letter = __VERIFIER_nondet_char();
    signed char s = __VERIFIER_nondet_schar();
    return (c == -128) + (u == 255) + (letter == 'A') + (s < 0) + ((unsigned char)s == u);
}
