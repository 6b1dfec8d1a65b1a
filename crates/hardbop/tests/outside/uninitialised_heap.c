/* FALSE: a pointer in memory from malloc that nobody set. */
struct cipher { unsigned long algorithms; int strength; };
struct session { int state; struct cipher *cipher; };
extern void *malloc(unsigned long);
extern void reach_error(void);
int main(void) {
  struct session *s = malloc(sizeof(struct session));
  if (!s) return 0;
  s->state = 1;
  if (s->cipher->algorithms & 256UL) {
    s->state = 2;
    if (s->cipher->strength == 40) reach_error();
  }
  return 0;
}
