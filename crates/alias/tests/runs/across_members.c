// Only the bounds of whole objects count.
struct s { int head; int a[3]; int *p; int tail[2]; } s[2];
int x;
int main(void) {
  s[0].p = &x;
  s[1].p = &s[0].tail[1];
  int i = 3 + (int)(sizeof(int *) / sizeof(int)) + 1;
  s[0].a[i + (sizeof(int *) == 8 ? 0 : -1)] = 5;
  int **q = (int **)&s[0].a[3];
  if (sizeof(int *) == 8)
    q = (int **)&s[0].a[3];
  **q = 4;
  int *p = &s[1].tail[1];
  while (p > &s[0].head)
    *p-- = 0;
  struct s *whole = (struct s *)((char *)&s[1].tail - (unsigned long)&((struct s *)0)->tail);
  whole->head = 1;
  int *before = s[1].a;
  before[-1] = 9;
  return s[1].head;
}
