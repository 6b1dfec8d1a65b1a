/* Takes a lock and gives it back, some number of times. */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int locked = 0;
  int turns = __VERIFIER_nondet_int();
  while (turns > 0) {
    if (locked)
      reach_error();
    locked = 1;
    turns--;
    locked = 0;
  }
  return 0;
}
