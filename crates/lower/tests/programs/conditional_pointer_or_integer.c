// gcc warns of a conditional between a pointer and an integer, and makes the integer a pointer.
#include <stdio.h>
static int is_null(int *p, int c) { return (c ? p : 5) == 0; }
int main(void) {
  int x = 3;
  long a = (long)(x ? 1 : &x);
  char *q = x > 3 ? "a" : 7;
  char *r = x ? x : "a";
  printf("%d %d %ld %d %d\n", is_null(0, 1), is_null(&x, 0), a, q == (char *)7, r == (char *)3);
  return 0;
}
