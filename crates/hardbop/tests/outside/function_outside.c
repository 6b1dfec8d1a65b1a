/* FALSE: a function outside is called, and the run goes on. */
struct ops { int (*open)(int); };
extern struct ops *ops_of(int);
extern void reach_error(void);
int main(void) {
  struct ops *o = ops_of(1);
  if (!o || !o->open) return 0;
  if (o->open(2) == 5) reach_error();
  return 0;
}
