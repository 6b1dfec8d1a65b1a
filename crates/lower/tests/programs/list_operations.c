// Checks linked lists: insertion, reversal, removal through pointers to pointers, embedded links.
int printf(const char *, ...);
void *malloc(__SIZE_TYPE__);
void free(void *);

struct node { int value; struct node *next; };
struct link { struct link *next, *prev; };
struct item { int n; struct link link; };

static struct node *push(struct node *head, int value)
{
    struct node *n = malloc(sizeof *n);
    *n = (struct node){value, head};
    return n;
}
static struct node *reverse(struct node *head)
{
    struct node *r = 0;
    while (head) {
        struct node *next = head->next;
        head->next = r, r = head, head = next;
    }
    return r;
}
static void remove_if(struct node **p, int modulus)
{
    while (*p)
        if ((*p)->value % modulus == 0) {
            struct node *dead = *p;
            *p = dead->next;
            free(dead);
        } else
            p = &(*p)->next;
}
static void show(const struct node *n) { for (; n; n = n->next) printf("%d ", n->value); printf("\n"); }
static void insert(struct link *at, struct link *l) { l->next = at->next, l->prev = at, at->next->prev = l, at->next = l; }
static void unlink(struct link *l) { l->prev->next = l->next, l->next->prev = l->prev; }

int main(void)
{
    struct node *head = 0;
    for (int i = 0; i < 10; i++)
        head = push(head, i * i % 11);
    show(head);
    head = reverse(head);
    show(head);
    remove_if(&head, 3);
    show(head);
    while (head) { struct node *next = head->next; free(head); head = next; }
    struct link ring = {&ring, &ring};
    struct item items[5];
    for (int i = 0; i < 5; i++) {
        items[i].n = i;
        insert(i % 2 ? &ring : ring.prev, &items[i].link);
    }
    unlink(&items[2].link);
    for (struct link *l = ring.next; l != &ring; l = l->next)
        printf("%d ", ((struct item *)((char *)l - __builtin_offsetof(struct item, link)))->n);
    printf("\n");
    return head != 0;
}
