// Tables of pointers that are shifted, swapped byte by byte and copied in part.
extern void *memmove(void *, const void *, unsigned long), *memcpy(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long), *malloc(unsigned long);
static int f(int x) { return x + 1; }
static int g(int x) { return x + 2; }
static int h(int x) { return x + 3; }
struct entry { char name[4]; int (*call)(int); struct entry *next; };
static struct entry table[4] = { { "f", f, &table[1] }, { "g", g, &table[2] }, { "h", h, 0 } };
static void swap(void *a, void *b, unsigned long n) {
  char *x = a, *y = b;
  while (n--) {
    char c = *x;
    *x++ = *y;
    *y++ = c;
  }
}
int main(void) {
  int sum = 0;
  memmove(table + 1, table, 3 * sizeof *table);
  sum += table[3].call(1);
  swap(&table[1], &table[2], sizeof *table);
  sum += table[2].call(1) + table[1].next->call(2);
  struct entry *heap = malloc(4 * sizeof *heap);
  unsigned long n = sizeof table;
  memcpy(heap, table, n);
  sum += heap[3].call(4);
  struct entry one = heap[2], two;
  two = one;
  two.next->call(3);
  memset(&heap[1], 0, sizeof *heap);
  int (*calls[3])(int);
  memcpy(calls, &two.call, sizeof two.call);
  memmove(calls + 1, calls, 2 * sizeof *calls);
  sum += calls[1](7);
  return sum;
}
