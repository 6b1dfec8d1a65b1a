/* not FALSE: what standard functions without a model give is not known. */
extern char *setlocale(int, const char *);
extern void reach_error(void);
int main(void) {
  char *p = setlocale(0, "C");
  if (p && p[0] == 'z') reach_error();
  return 0;
}
