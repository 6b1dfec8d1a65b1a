// Addresses of locals of several activations, variable arguments, memory of the stack.
typedef __builtin_va_list va_list;
static int *deepest;
static int walk(int n, int *above) {
  int mine = n, *both[2] = { above, &mine };
  if (above)
    *above += 1;
  deepest = &mine;
  if (n > 0)
    walk(n - 1, n % 2 ? &mine : above);
  *both[n % 2] += 1;
  return mine;
}
static int total(int count, ...) {
  va_list arguments;
  __builtin_va_start(arguments, count);
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum += *__builtin_va_arg(arguments, int *);
  __builtin_va_end(arguments);
  return sum;
}
static int lengths(int n) {
  int v[n], *where[n];
  for (int i = 0; i < n; i++)
    where[i] = &v[n - 1 - i], *where[i] = i;
  int **stack = __builtin_alloca(n * sizeof *stack);
  stack[0] = where[n - 1];
  return *stack[0];
}
int main(void) {
  int start = 0, other = 5;
  return walk(6, &start) + total(3, &start, &other, &start) + lengths(4);
}
