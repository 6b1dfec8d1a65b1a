struct pair { int a; int *p; char c; };
int x, y, plain;
struct pair one, two;
int main(void) {
  one.p = &x;
  two.p = &y;
  struct pair *q = &one;
  q->a = *q->p;
  plain = two.a;
  *two.p = plain;
  two = one;
  return one.c;
}
