// Checks that realloc keeps contents while growing and shrinking, and realloc of null.
int printf(const char *, ...);
typedef __SIZE_TYPE__ size_t;
void *malloc(size_t);
void *realloc(void *, size_t);
void free(void *);

struct vector { int *data; int length, capacity; };

static void push(struct vector *v, int n)
{
    if (v->length == v->capacity) {
        v->capacity = v->capacity ? v->capacity * 2 : 1;
        v->data = realloc(v->data, v->capacity * sizeof *v->data);
    }
    v->data[v->length++] = n;
}

int main(void)
{
    struct vector v = {0};
    for (int i = 0; i < 100; i++)
        push(&v, i * i);
    int sum = 0;
    for (int i = 0; i < v.length; i++)
        sum += v.data[i] * (i % 3 - 1);
    printf("%d %d %d\n", sum, v.length, v.capacity);
    v.data = realloc(v.data, 10 * sizeof(int));
    printf("%d %d\n", v.data[0], v.data[9]);
    v.data = realloc(v.data, 1000 * sizeof(int));
    v.data[999] = 5;
    printf("%d %d\n", v.data[9], v.data[999]);
    free(v.data);
    char *text = realloc(0, 4);
    text[0] = 'h', text[1] = 'i', text[2] = 0;
    text = realloc(text, 4);
    printf("%s\n", text);
    char *other = malloc(8);
    printf("%d\n", other != text);
    free(text);
    free(other);
    free(0);
    return 0;
}
