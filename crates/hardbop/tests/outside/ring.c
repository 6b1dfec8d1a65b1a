/* FALSE: a record may point to itself. */
struct link { struct link *next; int mark; };
extern struct link *start(void);
extern void reach_error(void);
int main(void) {
  struct link *l = start();
  if (!l) return 0;
  l->mark = 9;
  if (l->next == l && l->next->next->mark == 9) reach_error();
  return 0;
}
