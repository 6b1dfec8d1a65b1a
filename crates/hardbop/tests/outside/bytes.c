/* FALSE: bytes. */
extern char *name_of(int);
extern void reach_error(void);
int main(void) {
  char *n = name_of(0);
  if (!n) return 0;
  if (n[0] == 'h' && n[1] == 'i' && n[2] == 0) reach_error();
  return 0;
}
