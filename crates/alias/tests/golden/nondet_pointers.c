// pure
extern int *__VERIFIER_nondet_pointer(void);
extern int *ext(int *);
int x;
int main(void) {
  int *p = __VERIFIER_nondet_pointer();
  *p = 1;
  p = ext(&x);
  *p = 2;
  int *uninitialised;
  *uninitialised = 3;
  *(int *)4096 = 4;
  return x;
}
