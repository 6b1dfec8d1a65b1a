/* not FALSE: what is written there can be read. */
extern int *slot(int);
extern void reach_error(void);
int main(void) {
  int *p = slot(1);
  if (!p) return 0;
  *p = 4;
  if (*p != 4) reach_error();
  return 0;
}
