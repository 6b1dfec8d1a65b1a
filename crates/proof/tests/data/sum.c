extern int __VERIFIER_nondet_int(void);
void reach_error(void);
int g;
int f(int n) { if (n <= 0) return 0; return f(n-1) + 1; }
int main(void) {
  int s = 0;
  for (int k = 0; k < 3; k++) s += k;
  if (s != 3) reach_error();
  return 0;
}
