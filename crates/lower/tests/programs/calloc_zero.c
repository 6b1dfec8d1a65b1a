// Checks that calloc clears, that allocations are distinct and a heap-built tree.
int printf(const char *, ...);
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t);
void *calloc(size_t, size_t);
void free(void *);

struct tree { struct tree *left, *right; int key; double weight; };

static struct tree *insert(struct tree *t, int key)
{
    if (!t) {
        t = calloc(1, sizeof *t);
        t->key = key;
        return t;
    }
    if (key < t->key)
        t->left = insert(t->left, key);
    else
        t->right = insert(t->right, key);
    return t;
}

static int walk(struct tree *t, int order)
{
    if (!t)
        return order;
    order = walk(t->left, order);
    printf("%d ", t->key + (t->weight != 0));
    return walk(t->right, order + 1);
}

static void destroy(struct tree *t)
{
    if (t) {
        destroy(t->left), destroy(t->right);
        free(t);
    }
}

int main(void)
{
    struct tree *root = 0;
    for (int i = 0; i < 10; i++)
        root = insert(root, i * 7 % 10);
    printf(": %d\n", walk(root, 0));
    destroy(root);
    for (int round = 0; round < 3; round++) {
        unsigned char *dirty = malloc(64);
        for (int i = 0; i < 64; i++)
            dirty[i] = 0xaa;
        free(dirty);
        int *clean = calloc(16, sizeof *clean), sum = 0;
        for (int i = 0; i < 16; i++)
            sum |= clean[i];
        printf("%d\n", sum);
        free(clean);
    }
    int (*grid)[4] = malloc(3 * sizeof *grid);
    grid[2][3] = 7, grid[0][0] = 1;
    printf("%d\n", grid[2][3] + **grid);
    free(grid);
    int **rows = malloc(2 * sizeof *rows);
    rows[0] = malloc(4), rows[1] = malloc(4);
    *rows[0] = 3, *rows[1] = 4;
    printf("%d %d\n", *rows[0] * *rows[1], rows[0] != rows[1]);
    free(rows[0]), free(rows[1]), free(rows);
    return 0;
}
