/* FALSE: what is written there stays. */
struct counter { unsigned long hits; short kind; };
extern struct counter *counter_of(int);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  struct counter *c = counter_of(0);
  c->kind = 5;
  c->hits = 0;
  while (__VERIFIER_nondet_int()) c->hits++;
  if (c->kind == 5 && c->hits == 3) reach_error();
  return 0;
}
