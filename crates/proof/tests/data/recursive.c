extern int __VERIFIER_nondet_int(void);
void reach_error(void);
int g;
int f(int n) { if (n <= 0) return 0; return f(n-1) + 1; }
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 1000000) return 0;
  if (f(n) != n) reach_error();
  return 0;
}
