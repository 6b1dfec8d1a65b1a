// An input in memory that is no object of its own.
int main(void) {
  int a = 1, b = 2;
  __asm__ volatile("" : : "m"((int)a), "m"((unsigned)b));
  return a + b - 3;
}
