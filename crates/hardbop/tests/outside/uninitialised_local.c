/* FALSE: so does a pointer that nobody set. */
struct state { int ready; long level; };
extern void reach_error(void);
int main(void) {
  struct state *s;
  if (s->ready && s->level == -4) reach_error();
  return 0;
}
