/* Memory outside of the program: through results, pointers in it, members, copies, uninitialised pointers. */
typedef unsigned long size_t;
struct list { struct list *next, *prev; };
struct item { int key; struct list link; unsigned char used; struct item *other; };
extern struct item *item_of(int);
extern struct list *list_of(int);
extern void *block_of(int);
extern int number_of(int);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
int own[4] = {1, 2, 3, 4};
struct item global;

static int sum(const struct item *i, int depth) {
  int total = 0;
  while (i && depth--) {
    total += i->key + i->used;
    i = i->other;
  }
  return total;
}

static void insert(struct list *where, struct list *what) {
  what->next = where->next;
  what->prev = where;
  where->next = what;
}

int main(void) {
  struct item *a = item_of(1), *b = item_of(2), local;
  int *p = own, total = 0;
  if (!a || !b) return 1;
  a->key = 3;
  b->key = 4;
  total += a->key;
  a->other = b;
  total += sum(a, 3);
  local = *a;
  local.used = 1;
  *b = local;
  memcpy(&global, b, sizeof global);
  total += global.key;
  if (number_of(1) & 1) p = block_of(3);
  if (p) {
    p[1] = 7;
    total += p[0] + own[1];
  }
  struct list *l = list_of(1);
  if (l) {
    insert(l, &a->link);
    struct item *around = (struct item *)((char *)l - (size_t)&((struct item *)0)->link);
    around->key = total;
    total += around->used;
    memset(around, 0, sizeof *around);
    total += around->key;
  }
  return total & 127;
}
