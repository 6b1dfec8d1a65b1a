/* not FALSE: a pointer that is followed is not null. */
extern int *slot(int);
extern void reach_error(void);
int main(void) {
  int *p = slot(1);
  int x = *p;
  if (!p) reach_error();
  return x;
}
