/* FALSE: records are copied from there and back. */
struct pair { int a; short b; char c; };
extern struct pair *get(void);
extern void reach_error(void);
int main(void) {
  struct pair *p = get(), *q = get(), local;
  if (!p || !q) return 0;
  local = *p;
  local.b++;
  *q = local;
  if (q->a == 8 && q->b == -1 && p != q) reach_error();
  return 0;
}
