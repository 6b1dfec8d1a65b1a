int *visible;
static int hidden;
static int shown;
static int *kept = &hidden;
extern int *ext(int *);
int counter;
int main(void) {
  int local, secret;
  visible = &shown;
  int *r = ext(&local);
  *r = 4;
  secret = *kept;
  counter++;
  return secret;
}
