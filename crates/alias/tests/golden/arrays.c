int numbers[10];
int *pointers[4];
struct { int key; int *value; } table[5];
int main(void) {
  int i, a, b;
  pointers[0] = &a;
  pointers[2] = &b;
  *pointers[2] = 1;
  *pointers[i] = 2;
  for (int *p = numbers; p < numbers + 10; p++)
    *p = 0;
  table[i].value = numbers + 3;
  table[1].key = *table[i].value;
  return table[2].key;
}
