// Checks tentative definitions, extern declarations before and after, and composite array types.
int printf(const char *, ...);

int repeated;
int repeated;
int repeated = 3;
int repeated;
extern int declared_first;
int declared_first = 4;
int zero;
extern int zero;
static int internal;
static int internal = 5;
extern int internal;
int unsized[];
int unsized[4];
extern int completed[];
int completed[3] = {1, 2, 3};
int single[];
struct later tentative;
struct later { int a, b; };
extern struct later known;
struct later known = {6, 7};
char text[];
char text[] = "text";
typedef int unknown[];
unknown two = {1, 2}, three = {1, 2, 3};

static int *address(void) { return &zero; }
extern int read(void);
int (*function)(void);
int (*function)(void) = read;

int main(void)
{
    printf("%d %d %d %d\n", repeated, declared_first, zero, internal);
    printf("%d %d\n", (int)sizeof unsized, (int)sizeof completed);
    printf("%d %d %d %d\n", tentative.a, known.b, (int)sizeof text, single[0]);
    printf("%d %d\n", (int)sizeof two, (int)sizeof three);
    zero = 9;
    unsized[3] = 8;
    tentative.b = 7;
    printf("%d %d %d\n", *address(), read(), tentative.b);
    printf("%d\n", function());
    extern int completed[3];
    return completed[2];
}

int read(void) { return zero + unsized[3]; }
