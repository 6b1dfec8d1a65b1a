// Checks compound literals: of scalars, arrays and records, their identity and lifetime.
int printf(const char *, ...);

struct point { int x, y; };
static struct point *file_scope = &(struct point){3, 4};
static int *file_array = (int[]){1, 2, 3, [5] = 6};

static int norm(struct point p) { return p.x * p.x + p.y * p.y; }
static int sum(const int *p, int n) { int s = 0; while (n--) s += *p++; return s; }
static void move(struct point *p, int by) { p->x += by; }

int main(void)
{
    printf("%d %d\n", norm((struct point){1, 2}), norm((struct point){.y = 5}));
    printf("%d\n", sum((int[]){1, 2, 3, 4}, 4));
    printf("%d %d\n", file_scope->x, sum(file_array, 6));
    file_scope->y = 40;
    printf("%d\n", norm(*file_scope));
    int *p = &(int){7};
    *p += 1;
    printf("%d\n", *p);
    struct point *q = &(struct point){.x = *p};
    move(q, 2);
    printf("%d %d\n", q->x, q->y);
    printf("%c %d\n", "abc"[1], (int)sizeof((char[]){"abcdef"}));
    int total = 0;
    for (int i = 0; i < 4; i++) {
        int *fresh = (int[3]){i};
        total += fresh[0] * 10 + fresh[1] + fresh[2];
        fresh[1] = fresh[2] = 100;
    }
    printf("%d\n", total);
    int i = 0;
again:;
    int *one = &(int){i};
    *one += 5;
    if (++i < 3)
        goto again;
    printf("%d\n", *one);
    ((struct point){1, 1}).x++;
    printf("%d\n", ((int[]){10, 20, 30})[i - 1]);
    struct point line[2] = {(struct point){1, 2}, {(int){3}, 4}};
    line[0] = (struct point){line[0].y, line[0].x};
    printf("%d %d %d %d\n", line[0].x, line[0].y, line[1].x, line[1].y);
    const char *names[] = {"a", (char[]){'b', 0}};
    printf("%s%s\n", names[0], names[1]);
    printf("%d\n", (int){3} + (unsigned char){300});
    return 0;
}
