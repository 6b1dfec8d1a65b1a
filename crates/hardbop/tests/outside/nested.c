/* FALSE: pointers in such memory lead to such memory. */
struct node { struct node *next; char tag; int value; };
extern struct node *head(void);
extern void reach_error(void);
int main(void) {
  struct node *n = head();
  if (!n || !n->next || !n->next->next) return 0;
  if (n->value == 1 && n->next->value == 2 && n->next->next->value == 3 && n->next->next->tag == 'x') reach_error();
  return 0;
}
