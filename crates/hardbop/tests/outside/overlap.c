/* not FALSE: two objects are one, or lie apart. */
struct two { int first, second; };
extern struct two *slot(int);
extern void reach_error(void);
int main(void) {
  struct two *p = slot(1), *q = slot(2);
  if (!p || !q) return 0;
  p->first = 1;
  q->second = 2;
  if (p->first != 1) reach_error();
  return 0;
}
