/* Addresses that control flow is told, and that are put together again. */
typedef __SIZE_TYPE__ word;
#define BITS (8 * (int)sizeof(word))

int x, y[4];
struct node { struct node *next; int value; } last;

static word by_branches(word a) {
  word b = 0;
  for (int i = 0; i < BITS; i++)
    if (a >> i & 1)
      b |= (word)1 << i;
  return b;
}

static word by_truth(word a) {
  _Bool bits[BITS];
  for (int i = 0; i < BITS; i++)
    bits[i] = a >> i & 1;
  word b = 0;
  for (int i = BITS - 1; i >= 0; i--)
    b = b + b + bits[i];
  return b;
}

static word by_search(word a) {
  word low = 0, step = (word)1 << (BITS - 1);
  for (; step; step >>= 1)
    if (low + step <= a)
      low += step;
  return low;
}

static word by_table(word a) {
  static const unsigned char digits[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  word b = 0;
  for (int i = 0; i < BITS; i += 4)
    b |= (word)digits[a >> i & 15] << i;
  return b;
}

static word by_switch(word a) {
  word b = 0;
  for (int i = 0; i < BITS; i += 2)
    switch (a >> i & 3) {
    case 1: b |= (word)1 << i; break;
    case 2: b |= (word)2 << i; break;
    case 3: b |= (word)3 << i; break;
    }
  return b;
}

int main(void) {
  *(int *)by_branches((word)&x) = 5;
  *(int *)by_truth((word)&y[1]) = 6;
  *(int *)by_search((word)&y[2]) = 7;
  *(int *)by_table((word)&y[3]) = 8;
  int *null = 0;
  *(int *)((char *)null + (word)y) = 9;
  *(int *)((char *)0 + by_switch((word)&x)) = 10;
  /* through memory: written as numbers, read as a pointer */
  union { word number; struct node *pointer; } either;
  either.number = by_branches((word)&last);
  either.pointer->value = 11;
  return x + y[0] + y[1] + y[2] + y[3] + last.value;
}
