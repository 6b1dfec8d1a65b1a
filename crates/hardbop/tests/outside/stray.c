/* not FALSE: an index that leads out of an array leads to no object. */
extern void reach_error(void);
extern long __VERIFIER_nondet_long(void);
int a[10];
int main(void) {
  long i = __VERIFIER_nondet_long();
  if (i < 1000 || i > 1000000) return 0;
  a[i] = 1;
  reach_error();
  return 0;
}
