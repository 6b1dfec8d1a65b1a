/* not FALSE: where a pointer is set somewhere, one that is not set leads to nothing. */
struct node { struct node *next; int v; };
extern void *malloc(unsigned long);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct node x;
int main(void) {
  struct node *a = malloc(sizeof(struct node));
  if (!a) return 0;
  if (__VERIFIER_nondet_int()) a->next = &x;
  struct node *q = a->next;
  if (q != &x) {
    q->v = 5;
    reach_error();
  }
  return 0;
}
