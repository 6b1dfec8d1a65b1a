// Pointers copied through bytes, halves, bit-fields, floats and wide integers.
extern void *memcpy(void *, const void *, unsigned long);
int x, y, z[4];
int *source, *target;
struct bits { unsigned low : 20, middle : 25, high : 19; };
union pun { int *p; unsigned char c[sizeof(int *)]; unsigned h[2]; struct bits b; double d; __int128 wide; };
static void bytes(void) {
  for (unsigned i = 0; i < sizeof source; i++)
    ((char *)&target)[i] = ((char *)&source)[i];
  *target = 1;
}
static void reversed(void) {
  unsigned char copy[sizeof source], again[sizeof source];
  memcpy(copy, &source, sizeof source);
  for (unsigned i = 0; i < sizeof source; i++)
    again[sizeof source - 1 - i] = copy[i];
  for (unsigned i = 0; i < sizeof source; i++)
    copy[i] = again[sizeof source - 1 - i];
  memcpy(&target, copy, sizeof source);
  *target = 2;
}
static void halves(void) {
  union pun from, to;
  from.p = source;
  to.h[0] = from.h[0];
  to.h[1] = from.h[1];
  *to.p = 3;
  union pun other;
  other.b.low = from.b.low;
  other.b.middle = from.b.middle;
  other.b.high = from.b.high;
  if (other.p == from.p)
    *other.p = 4;
  union pun third;
  third.d = from.d;
  *third.p = 5;
  third.wide = from.wide;
  *third.p = 6;
}
static void shifted(void) {
  unsigned long n = (unsigned long)source;
  unsigned long rebuilt = 0;
  for (unsigned i = 0; i < sizeof n; i++)
    rebuilt |= (n >> (8 * i) & 255) << (8 * i);
  *(int *)rebuilt = 7;
  __int128 wide = (__int128)n << 7;
  *(int *)(unsigned long)(wide >> 7) = 8;
}
int main(void) {
  int *sources[] = { &x, &y, &z[0], &z[3] };
  for (int i = 0; i < 4; i++) {
    source = sources[i];
    bytes();
    reversed();
    halves();
    shifted();
  }
  return x + y + z[3];
}
