/* not FALSE: it is no object of the program whose address nobody knows. */
extern int *slot(int);
extern void reach_error(void);
int main(void) {
  int local = 1;
  int *p = slot(1), *q = &local;
  if (p == q) reach_error();
  if (p) *p = 2;
  if (*q != 1) reach_error();
  return 0;
}
