// An arrow in an offset means the first element of an array.
#include <stddef.h>
#include <stdio.h>
struct in { int a, b[4]; };
struct out { char c; struct in r[3]; struct { struct in x[2]; } y[2]; };
int main(void) {
  int i = 1;
  printf("%d %d %d %d\n", (int)offsetof(struct out, r->b), (int)offsetof(struct out, r->b[2]),
         (int)offsetof(struct out, y->x->b), (int)__builtin_offsetof(struct out, y[i]. x->a));

  struct in v = {2, {0}}, *p = &v;
  return (int)__builtin_offsetof(struct in, b[p->a]);
}
