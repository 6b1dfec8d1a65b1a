// pure
extern void *malloc(unsigned long);
struct node { struct node *next; int value; };
struct node *list;
int *array;
int main(void) {
  for (int i = 0; i < 5; i++) {
    struct node *n = malloc(sizeof *n);
    n->value = i;
    n->next = list;
    list = n;
  }
  array = malloc(40);
  array[3] = 7;
  int sum = 0;
  for (struct node *n = list; n; n = n->next)
    sum += n->value;
  return sum;
}
