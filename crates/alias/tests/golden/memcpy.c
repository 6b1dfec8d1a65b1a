extern void *memcpy(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long);
struct s { int *p; long n; char name[8]; };
struct s from, to, unknown;
int x;
int main(void) {
  unsigned long n;
  from.p = &x;
  memcpy(&to, &from, sizeof to);
  memcpy(&unknown, &to, n);
  memset(&from, 0, sizeof from);
  *unknown.p = to.n;
  return to.name[2];
}
