// Checks a record declared in both units: passed by value and pointer, shared objects, opaque use.
int printf(const char *, ...);

struct point { short x, y; unsigned flags : 5; char name[6]; };
struct opaque;
union value { int n; double d; };
enum kind { INT, REAL };

extern struct point origin;
struct point moved(struct point p, int by);
void rename_point(struct point *p, const char *name);
struct opaque *opened(int n);
int closed(struct opaque *o);
union value converted(union value v, enum kind from);

int main(void)
{
    struct point p = moved(origin, 5);
    printf("%d %d %d %s\n", p.x, p.y, p.flags, p.name);
    rename_point(&p, "moved");
    rename_point(&origin, "zero");
    printf("%s %s %d\n", p.name, origin.name, origin.flags);
    struct opaque *a = opened(3), *b = opened(4);
    printf("%d %d\n", closed(a), closed(b));
    printf("%f %d\n", converted((union value){.n = 7}, INT).d, converted((union value){.d = 2.75}, REAL).n);
    return 0;
}
