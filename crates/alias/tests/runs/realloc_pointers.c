// Pointers move with memory that grows.
extern void *malloc(unsigned long), *realloc(void *, unsigned long), *calloc(unsigned long, unsigned long);
int a, b;
struct item { int *to; int n; };
int main(void) {
  int **v = malloc(2 * sizeof *v);
  v[0] = &a;
  v[1] = &b;
  int **w = realloc(v, 10 * sizeof *v);
  *w[0] = 1;
  *w[1] = 2;
  struct item *items = calloc(3, sizeof *items);
  items[2].to = w[1];
  struct item *more = realloc(items, 7 * sizeof *items);
  *more[2].to = 5;
  return a + b;
}
