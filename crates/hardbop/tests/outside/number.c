/* not FALSE: a number is no address. */
extern void reach_error(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
int main(void) {
  int *p = (int *)__VERIFIER_nondet_ulong();
  *p = 1;
  reach_error();
  return 0;
}
