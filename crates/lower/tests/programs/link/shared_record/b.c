void *malloc(__SIZE_TYPE__);
void free(void *);

struct point { short x, y; unsigned flags : 5; char name[6]; };
struct opaque { int n; struct opaque *self; };
union value { int n; double d; };
enum kind { INT, REAL };

struct point origin = {1, 2, 3, "start"};

struct point moved(struct point p, int by)
{
    p.x += by, p.y -= by, p.flags += 30;
    return p;
}

void rename_point(struct point *p, const char *name)
{
    int i = 0;
    while (i < 5 && (p->name[i] = name[i]))
        i++;
    p->name[5] = 0;
    p->flags++;
}

struct opaque *opened(int n)
{
    struct opaque *o = malloc(sizeof *o);
    o->n = n * n, o->self = o;
    return o;
}

int closed(struct opaque *o)
{
    int n = o->self->n;
    free(o);
    return n;
}

union value converted(union value v, enum kind from)
{
    union value r;
    if (from == INT)
        r.d = v.n;
    else
        r.n = v.d;
    return r;
}
