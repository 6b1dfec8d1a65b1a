// Checks records that end in an array without size, of size zero or of size one.
int printf(const char *, ...);
void *malloc(__SIZE_TYPE__);
void free(void *);
void *memcpy(void *, const void *, __SIZE_TYPE__);

struct message { int length; short kind; char data[]; };
struct zero { int n; int data[0]; };
struct one { int n; int data[1]; };

static struct message fixed = {3, 1, {'a', 'b', 'c'}};
static struct message text = {5, 2, "hello"};

static struct message *build(const char *s, int n)
{
    struct message *m = malloc(sizeof *m + n);
    m->length = n;
    m->kind = 0;
    for (int i = 0; i < n; i++)
        m->data[i] = s[i];
    return m;
}

int main(void)
{
    printf("%d %d\n", (int)sizeof(struct message), (int)__builtin_offsetof(struct message, data));
    printf("%d %d\n", (int)sizeof(struct zero), (int)sizeof(struct one));
    printf("%c%c%c %d\n", fixed.data[0], fixed.data[1], fixed.data[2], fixed.kind);
    printf("%s %d\n", text.data, text.data[5]);
    struct message *m = build("flexible", 9);
    printf("%s %d\n", m->data, m->length);
    struct message copy = *m;
    printf("%d %d\n", copy.length, copy.kind);
    m->data[2] = 'o';
    char *p = m->data + 3;
    *p = 0;
    printf("%s %d\n", m->data, (int)(p - (char *)m));
    struct zero *z = malloc(sizeof *z + 4 * sizeof(int));
    z->n = 4;
    for (int i = 0; i < z->n; i++)
        z->data[i] = i * i;
    printf("%d %d\n", z->data[3], z->data[0]);
    struct one *o = malloc(sizeof(struct one) + 2 * sizeof(int));
    o->data[0] = 1, o->data[1] = 2, o->data[2] = 3;
    int *end = &o->data[2];
    printf("%d %d\n", *end, (int)(end - o->data));
    free(m), free(z), free(o);
    return 0;
}
