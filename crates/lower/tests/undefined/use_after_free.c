// A read of heap memory that was freed.
// outcome: use-after-free
void *malloc(__SIZE_TYPE__);
void free(void *);

struct node { int value; struct node *next; };

int main(void)
{
    struct node *list = 0;
    for (int i = 0; i < 3; i++) {
        struct node *n = malloc(sizeof *n);
        if (!n)
            return 1;
        n->value = i;
        n->next = list;
        list = n;
    }
    int sum = 0;
    for (struct node *n = list; n; n = n->next) {
        sum += n->value;
        free(n);
    }
    return sum;
}
