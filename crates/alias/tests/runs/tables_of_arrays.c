// Arrays in records of tables, whose elements are copied in all directions, and pointers to them.
extern void *memmove(void *, const void *, unsigned long), *memcpy(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long), *malloc(unsigned long);
extern int __VERIFIER_nondet_int(void);
typedef unsigned char u8;
struct part { short low; u8 bits[5]; int *where[3]; };
struct row { u8 tag; struct part part[4]; int count; };
static struct { struct row row[3]; int used; struct part *first; } table, other;
static int cells[4];
static unsigned upto(unsigned n) { return (unsigned)__VERIFIER_nondet_int() % n; }
static void point(struct part *p) { p->where[upto(3)] = &cells[upto(4)]; }
static int sum(const struct part *p) {
  int sum = p->low;
  for (int i = 0; i < 5; i++) sum += p->bits[i];
  for (int i = 0; i < 3; i++) if (p->where[i]) sum += *p->where[i];
  return sum; }
int main(void) {
  int total = 0;
  struct part one, *some = malloc(6 * sizeof *some);
  if (!some) return 0;
  memset(some, 0, 6 * sizeof *some);
  for (int round = 0; round < 40; round++) {
    struct row *r = &table.row[upto(3)];
    struct part *p = &r->part[upto(4)];
    switch (upto(10)) {
    case 0: point(p); break;
    case 1: p->bits[upto(5)] = (u8)round; r->tag = (u8)round; break;
    case 2: one = *p; total += sum(&one); break;
    case 3: table.row[upto(3)] = *r; break;
    case 4: other = table; other.row[upto(3)].part[upto(4)].low = 3; break;
    case 5: memmove(&table.row[0].part[1], &table.row[0].part[0], 3 * sizeof *p); break;
    case 6: memcpy(some + upto(5), &r->part[upto(3)], 2 * sizeof *p); break;
    case 7: table.first = p; r->count++; table.used++; break;
    case 8: if (table.first) { total += sum(table.first); table.first->bits[upto(5)] ^= 7; } break;
    case 9: memset(p->bits + upto(3), 0, 2); *p = some[upto(6)]; break; }
  }
  return total + other.used + table.used; }
