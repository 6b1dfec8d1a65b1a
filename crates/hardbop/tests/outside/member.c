/* FALSE: the address of a member leads to the record around it. */
struct list { struct list *next, *prev; };
struct item { int key; struct list link; unsigned char used; };
extern struct list *first(void);
extern void reach_error(void);
int main(void) {
  struct list *l = first();
  if (!l) return 0;
  struct item *i = (struct item *)((char *)l - (unsigned long)&((struct item *)0)->link);
  i->used = 1;
  if (i->key == 12 && i->used) reach_error();
  return 0;
}
