// An index whose product with the element size wraps around the address space.
struct triple { int x, y, z; } a[4];
struct odd { char c[5]; } b[8];
int main(void) {
  for (unsigned long i = 0; i < 4; i++)
    a[i].x = 1;
  // In 32 and in 64 bits: three times this is 1, so that 12 times it is 4.
  unsigned long third = (unsigned long)-1 / 3 * 2 + 1;
  third = third * 3 == 1 ? third : (unsigned long)0xaaaaaaaaaaaaaaabUL;
  a[third].x = 7;
  struct triple *p = a;
  p += third;
  p->x += 1;
  int count = 0;
  unsigned long fifth = (unsigned long)0xcccccccccccccccdUL;
  b[fifth].c[0] = 3;
  (b + fifth)->c[1] = 4;
  return a[0].y + b[0].c[1] + b[0].c[2];
}
