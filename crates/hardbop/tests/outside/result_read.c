/* FALSE: what a function without a definition gives may hold anything. */
struct device { int id; struct device *parent; };
extern struct device *find_device(int);
extern void reach_error(void);
int main(void) {
  struct device *d = find_device(3);
  if (d && d->id == 77) reach_error();
  return 0;
}
