// Addresses in static initialisers, with offsets, casts and cycles.
struct s { struct s *self; int v[4]; long number; void (*f)(struct s *); };
static void bump(struct s *s) { s->v[1]++; }
static struct s one, two = { &one, { 1, 2, 3, 4 }, (long)&one.v[2], bump };
static struct s one = { &two, { 5 }, (long)&two + sizeof(struct s *), 0 };
static int *middle = &two.v[2] - 1, *end = two.v + 4;
static char *text = "text" + 1, names[2][4] = { "ab", "cd" }, *name[] = { names[0], names[1] + 1 };
int main(void) {
  *middle = 7;
  end[-1] = 8;
  *(int *)two.number = 9;
  *(int *)one.number = 10;
  one.self->f(one.self);
  two.self->self->f(&one);
  name[1][0] = *text;
  return one.v[2] + two.v[0] + two.v[1] + names[1][1];
}
