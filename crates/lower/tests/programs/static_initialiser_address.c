// Checks constant addresses in static initialisers: members, elements, functions, differences.
int printf(const char *, ...);

struct s { char c; int list[4]; struct { short a, b; } in; };

static int twice(int n) { return 2 * n; }
static struct s object = {'c', {1, 2, 3, 4}, {5, 6}};
static struct s several[3] = {{.in.b = 1}, {.in.b = 2}, {.in.b = 3}};
static int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};

static int *element = &object.list[2];
static int *element_end = object.list + 4;
static short *member = &several[1].in.b;
static struct s *last = &several[3] - 1;
static int (*function)(int) = twice, (*function_too)(int) = &twice;
static int *cell = &grid[1][0] - 1;
static int (*row)[3] = grid + 1;
static const char *text = "static" + 2;
static char array[] = "array";
static void *self = &self;
static void **chain[] = {&self, (void **)&chain[0]};
static unsigned long number = (unsigned long)&object.list[1];
static int difference = (int)(&((struct s *)0)->in.b - &((struct s *)0)->in.a);
static int *cast = (int *)(char *)&grid[0][1];
static char *byte = (char *)&object.list[0] + sizeof(int);
static _Bool always = &object != 0;
static struct node { struct node *next; int n; } head, tail = {&head, 1}, head = {&tail, 2};

int main(void)
{
    printf("%d %d %d\n", *element, element_end[-1], *member);
    printf("%d %d %d\n", last->in.b, function(4), function_too(5));
    printf("%d %d %s %s\n", *cell, (*row)[2], text, array);
    printf("%d %d %d\n", self == &self, chain[0] == &self, chain[1] == (void **)chain);
    printf("%d %d\n", *(int *)number, difference);
    printf("%d %d %d\n", *cast, *(int *)byte, always);
    printf("%d %d\n", head.next->n, head.next->next->n);
    *element = 30;
    static int *local = &object.list[2];
    static int **twice_local = &local;
    **twice_local += 1;
    printf("%d\n", object.list[2]);
    return 0;
}
