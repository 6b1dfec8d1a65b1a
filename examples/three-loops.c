/* Three loops, one after the other; how often they go round depends on n. */
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n < 500000 || n > 1000000)
    return 0;
  unsigned x = 0;
  while (x < n)
    x = x + 1;
  while (x < 2 * n)
    x = x + 2;
  while (x < 3 * n)
    x = x + 3;
  if (x >= 3 * n)
    reach_error();
  return 0;
}
