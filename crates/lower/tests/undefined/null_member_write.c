// A write to a member of a record at the null pointer.
// outcome: null-dereference
struct node { int value; struct node *next; };

static void set(struct node *n, int value) { n->next->value = value; }

int main(void)
{
    struct node only = {1, 0};
    set(&only, 2);
    return only.value;
}
