union u { int i; char c[4]; float f; };
union u mixed;
int whole;
int target;
int main(void) {
  mixed.i = 5;
  mixed.c[1] = 2;
  float *f = (float *)&whole;
  *f = 1;
  whole++;
  int *p = &target, *q;
  for (int i = 0; i < 8; i++)
    ((char *)&q)[i] = ((char *)&p)[i];
  *q = 3;
  return mixed.i;
}
