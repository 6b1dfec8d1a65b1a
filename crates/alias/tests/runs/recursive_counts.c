/* Counts that grow with each return of a recursive procedure, or of two that call each other, and index an array. */
extern int __VERIFIER_nondet_int(void);
struct { int cells[4]; int beside; } record;
int depth, calls;

static void down(void) {
  if (depth < 20 && __VERIFIER_nondet_int()) {
    depth++;
    down();
    depth--;
  }
  calls++;
  record.cells[calls & 3] = depth;
}

static int odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1) + 1; }
static int odd(int n) { return n == 0 ? 0 : even(n - 1) + 1; }

int main(void) {
  for (int i = 0; i < 5; i++) down();
  record.cells[even(9) % 4] = calls;
  return record.beside + record.cells[odd(6) & 3];
}
