/* FALSE: two calls may give the same object. */
extern int *slot(int);
extern void reach_error(void);
int main(void) {
  int *a = slot(1), *b = slot(2);
  *a = 1;
  *b = 2;
  if (*a == 2) reach_error();
  return 0;
}
