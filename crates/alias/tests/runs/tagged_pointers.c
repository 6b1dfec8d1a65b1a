// Low bits of aligned addresses carry a flag; addresses go through integers and come back.
extern void *malloc(unsigned long);
struct node { long left, right; int key; };
static struct node *strip(long link) { return (struct node *)(link & ~3L); }
int main(void) {
  struct node *root = malloc(sizeof *root);
  root->left = (long)malloc(sizeof *root) | 1;
  root->right = (long)malloc(sizeof *root) + 2;
  strip(root->left)->key = 5;
  strip(root->right)->key = 6;
  strip(root->right)->left = (long)&root->key;
  *(int *)strip(root->right)->left = 7;
  int *key = (int *)(root->left - 1 + (long)&((struct node *)0)->key);
  *key += 1;
  char *base = (char *)0 + (unsigned long)root;
  ((struct node *)base)->key++;
  int *element = (int *)((unsigned long)root + 2 * sizeof(long));
  *element += 1;
  return root->key + strip(root->left)->key;
}
