// A list whose links are exclusive ors of two addresses.
extern void *malloc(unsigned long);
struct node { unsigned long link; int value; };
int main(void) {
  struct node *nodes[4];
  for (int i = 0; i < 4; i++) {
    nodes[i] = malloc(sizeof *nodes[i]);
    nodes[i]->value = i;
  }
  for (int i = 0; i < 4; i++)
    nodes[i]->link = (i ? (unsigned long)nodes[i - 1] : 0) ^ (i < 3 ? (unsigned long)nodes[i + 1] : 0);
  unsigned long before = 0;
  int sum = 0;
  for (struct node *n = nodes[0]; n;) {
    sum += n->value;
    unsigned long next = n->link ^ before;
    before = (unsigned long)n;
    n = (struct node *)next;
  }
  return sum;
}
