// data-model: LP64
// Lists of arguments in Microsoft's convention: a function that nobody calls does no harm.
__attribute__((ms_abi)) int pick(int n, ...) {
  __builtin_ms_va_list list;
  __builtin_ms_va_start(list, n);
  int r = __builtin_va_arg(list, int);
  __builtin_ms_va_end(list);
  return r;
}
int next(__builtin_ms_va_list *list) { return __builtin_va_arg(*list, int); }
int main(void) { return (int)sizeof(__builtin_ms_va_list) - 8; }
