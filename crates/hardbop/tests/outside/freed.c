/* not FALSE: nobody knows whether it came from malloc. */
extern int *slot(int);
extern void free(void *);
extern void reach_error(void);
int main(void) {
  int *p = slot(1);
  if (!p) return 0;
  free(p);
  reach_error();
  return 0;
}
