// __float80 is long double on x86.
#include <stdio.h>
typedef __float80 number;
static const __float80 half = 0.5w;
struct s { char c; number n; };
static __float80 twice(__float80 x) { return x + x; }
int main(void) {
  printf("%d %d %d\n", (int)sizeof(__float80), (int)sizeof(struct s),
         __builtin_types_compatible_p(__float80, long double));
  return (int)twice(half) - 1;
}
