int a[4];
struct s { int x; struct { int y[3]; } in; } s;
int f(void);
int *element = &a[2], *past = a + 4, *member = &s.in.y[1];
char *string = "abc" + 1, *strings[] = { "x", "y" };
int (*function)(void) = f, (*again)(void) = &f;
long number = (long) &a[1];
unsigned long offset = (unsigned long) &((struct s *) 0)->in.y[2];
void *null = 0, *absolute = (void *) 16;
int *literal = (int[]) { 1, 2 };
const char *name(void) { static const char *const names[] = { "one" }; return names[0]; }
