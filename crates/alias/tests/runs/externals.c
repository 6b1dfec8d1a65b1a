// What external functions can reach, they can change.
struct s { int *p; struct s *next; int n; };
extern void store(int *), look(struct s *), take(struct s);
static int hidden, shown, behind, passed;
static struct s first, second, third;
int visible, numbers[3];
struct s *list;
int main(void) {
  int local = 1;
  store(&shown);
  second.p = &behind;
  first.next = &second;
  look(&first);
  list = &third;
  store(0);
  numbers[1] = third.n;
  struct s value = { &passed };
  take(value);
  hidden += passed;
  hidden = visible;
  visible = 3;
  store(&local);
  return local == 1 && shown == 0 && behind == 0 ? hidden : 1;
}
