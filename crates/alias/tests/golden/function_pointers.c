int g, h;
static void set(int *p) { *p = 1; }
static void clear(int *p) { *p = 0; }
static int other(int x) { return x; }
void (*table[2])(int *) = { set, clear };
int (*unused)(int) = other;
int main(void) {
  table[1](&g);
  void (*f)(int *) = table[h & 1];
  f(&g);
  return unused(3);
}
