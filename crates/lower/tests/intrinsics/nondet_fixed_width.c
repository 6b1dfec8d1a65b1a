// Values of the types named by their width.
// inputs: -1 255 -2 65535 -3 4294967295 -4 18446744073709551615
// outcome: returned 8
extern signed char __VERIFIER_nondet_int8_t(void);
extern unsigned char __VERIFIER_nondet_uint8_t(void);
extern short __VERIFIER_nondet_int16_t(void);
extern unsigned short __VERIFIER_nondet_uint16_t(void);
extern int __VERIFIER_nondet_int32_t(void);
extern unsigned __VERIFIER_nondet_uint32_t(void);
extern long long __VERIFIER_nondet_int64_t(void);
extern unsigned long long __VERIFIER_nondet_uint64_t(void);

int main(void)
{
    int n = 0;
    n += __VERIFIER_nondet_int8_t() == -1;
    n += __VERIFIER_nondet_uint8_t() == 255;
    n += __VERIFIER_nondet_int16_t() == -2;
    n += __VERIFIER_nondet_uint16_t() == 65535;
    n += __VERIFIER_nondet_int32_t() == -3;
    n += __VERIFIER_nondet_uint32_t() == 4294967295u;
    n += __VERIFIER_nondet_int64_t() == -4;
    n += __VERIFIER_nondet_uint64_t() == 18446744073709551615ull;
    return n;
}
