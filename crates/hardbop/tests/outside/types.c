/* not FALSE: objects of two types are two objects. */
struct one { int a; int b; };
struct other { long x; };
extern struct one *one_of(int);
extern struct other *other_of(int);
extern void reach_error(void);
int main(void) {
  struct one *p = one_of(1);
  struct other *q = other_of(2);
  if (!p || !q) return 0;
  p->a = 1;
  q->x = 2;
  if (p->a != 1) reach_error();
  return 0;
}
