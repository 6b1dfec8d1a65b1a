// Records with pointers and arrays as arguments, results and locals.
struct in { int *p[2]; int n; };
struct out { struct in in; int **pp; } keep;
int x, y;
static struct out make(struct in v, int **pp) {
  struct out r = { v, pp };
  r.in.p[1] = &x;
  return r;
}
static int deref(struct out v) { return **v.pp + *v.in.p[v.in.n] + *v.in.p[0]; }
int main(void) {
  int local = 3;
  int *pl = &local;
  struct in v = { { &y, 0 }, 1 };
  keep = make(v, &pl);
  struct out copies[2];
  copies[1] = keep;
  copies[0] = make(copies[1].in, copies[1].pp);
  **copies[0].pp = 9;
  *copies[0].in.p[0] = 2;
  return deref(copies[0]) + deref(make(keep.in, keep.pp));
}
