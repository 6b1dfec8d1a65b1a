/* Prints what the mathematical functions of one type return, as bits, for edge cases and random patterns. REAL is
   the type and @ the end of the names; the test compares what gcc with glibc prints. */
typedef unsigned long long u64;
extern int printf(const char *, ...);
extern int *__errno_location(void);
extern int __fpclassify@(REAL), __isnan@(REAL), __isinf@(REAL), __finite@(REAL), __signbit@(REAL), isinf@(REAL),
    finite@(REAL), ilogb@(REAL);
extern REAL fabs@(REAL), trunc@(REAL), floor@(REAL), ceil@(REAL), round@(REAL), rint@(REAL), nearbyint@(REAL),
    logb@(REAL), significand@(REAL), sqrt@(REAL), modf@(REAL, REAL *), frexp@(REAL, int *), roundeven@(REAL);
extern long lround@(REAL), lrint@(REAL);
extern long long llround@(REAL), llrint@(REAL);
extern REAL copysign@(REAL, REAL), fmod@(REAL, REAL), remainder@(REAL, REAL), drem@(REAL, REAL), fdim@(REAL, REAL),
    fmax@(REAL, REAL), fmin@(REAL, REAL), remquo@(REAL, REAL, int *), nextafter@(REAL, REAL);
extern REAL ldexp@(REAL, int), scalbn@(REAL, int), scalbln@(REAL, long);

union pattern {
  REAL value;
  unsigned char bytes[sizeof(REAL)];
};
static u64 state = 88172645463325252ull;
static u64 next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}
/* The number of the error of the last function; output may change it. */
static int number;
static REAL noted(REAL x) {
  number = *__errno_location();
  return x;
}
static void real(const char *name, REAL x) {
  union pattern p;
  if (x != x) {
    printf(" %s nan", name);
    return;
  }
  p.value = x;
  printf(" %s ", name);
  for (int i = BYTES - 1; i >= 0; i--)
    printf("%02x", p.bytes[i]);
}
static REAL made(int negative, u64 mantissa, int exponent) {
  REAL x = (REAL)mantissa;
  for (; exponent > 0; exponent--)
    x *= 2;
  for (; exponent < 0; exponent++)
    x /= 2;
  return negative ? -x : x;
}
static int edges;
static REAL edge(int i) {
  static const struct { u64 mantissa; int exponent; } sizes[] = {
    {0, 0}, {1, 0}, {1, -1}, {3, -1}, {5, -1}, {7, -1}, {1, -2}, {2, 0}, {3, 0}, {10, 0}, {7, 0}, {8, 0}, {25, -1}, {1, 31}, {4294967295ull, -1},
    {4294967297ull, -1}, {1, 63}, {1, 62}, {1, 52}, {9007199254740991ull, -1}, {9007199254740991ull, 0}, {4503599627370497ull, -1}, {8388607, -1}, {8388609, 0}, {16777215, -1},
    {18446744073709551615ull, -1}, {9223372036854775807ull, 0}, {9223372036854775809ull, -1}, {1, -24}, {1, -53}, {1, SMALL}, {3, SMALL}, {1, SMALL - DIGITS + 1},
    {3, SMALL - DIGITS + 1}, {5, SMALL - 3}, {1, LARGE}, {3, LARGE - 1}, {1, LARGE - 1}, {3, LARGE / 2},
  };
  int count = sizeof sizes / sizeof sizes[0];
  edges = 2 * count + 3;
  if (i < 2 * count)
    return made(i & 1, sizes[i / 2].mantissa, sizes[i / 2].exponent);
  REAL large = made(0, 1, LARGE);
  if (i == 2 * count)
    return large * 4;
  if (i == 2 * count + 1)
    return -large * 4;
  return large * 4 - large * 4;
}
static REAL any(void) {
  int range = next() % 4;
  int exponent = (int)(next() % 400);
  u64 mantissa = next();
  if (range == 0)
    return made(next() & 1, mantissa >> (next() % 64), 0);
  if (range == 1)
    return made(next() & 1, mantissa >> (64 - DIGITS), -(int)(next() % (DIGITS + 4)));
  if (range == 2)
    return made(next() & 1, mantissa, exponent % LARGE - 70);
  return made(next() & 1, mantissa >> 40, SMALL - 30 + exponent % 60);
}
static void unary(REAL x) {
  int e;
  REAL whole;
  real("x", x);
  printf(" class %d %d %d %d %d %d %d", __fpclassify@(x), __isnan@(x) != 0, __isinf@(x), __finite@(x) != 0, __signbit@(x) != 0, isinf@(x), finite@(x) != 0);
  printf(" builtin %d %d %d %d %d", __builtin_isnan(x) != 0, __builtin_isinf(x) != 0, __builtin_isfinite(x) != 0, __builtin_isnormal(x) != 0,
         __builtin_signbit(x) != 0);
  real("fabs", fabs@(x));
  real("trunc", trunc@(x));
  real("floor", floor@(x));
  real("ceil", ceil@(x));
  real("round", round@(x));
  real("rint", rint@(x));
  real("nearbyint", nearbyint@(x));
  real("roundeven", roundeven@(x));
  printf(" lround %ld %ld %lld %lld", lround@(x), lrint@(x), llround@(x), llrint@(x));
  real("modf", modf@(x, &whole));
  real("whole", whole);
  real("frexp", frexp@(x, &e));
  if (x == x && x - x == 0)
    printf(" %d", e);
  *__errno_location() = 0;
  e = ilogb@(x);
  noted(x);
  printf(" ilogb %d errno %d", e, number);
  real("logb", logb@(x));
  if (ROOTS) {
    *__errno_location() = 0;
    real("sqrt", noted(sqrt@(x)));
    printf(" errno %d", number);
  }
  real("significand", x == x && x - x == 0 ? significand@(x) : x);
  printf("\n");
}
static void scaled(REAL x, int n) {
  real("x", x);
  *__errno_location() = 0;
  real("ldexp", noted(ldexp@(x, n)));
  printf(" errno %d", number);
  real("scalbn", scalbn@(x, n));
  *__errno_location() = 0;
  real("scalbln", noted(scalbln@(x, n)));
  printf(" errno %d\n", number);
}
static void binary(REAL x, REAL y) {
  int q = 0;
  real("x", x);
  real("y", y);
  real("copysign", copysign@(x, y));
  printf(" compare %d %d %d %d %d %d", __builtin_isgreater(x, y) != 0, __builtin_isgreaterequal(x, y) != 0, __builtin_isless(x, y) != 0,
         __builtin_islessequal(x, y) != 0, __builtin_islessgreater(x, y) != 0, __builtin_isunordered(x, y) != 0);
  *__errno_location() = 0;
  real("fmod", noted(fmod@(x, y)));
  printf(" errno %d", number);
  *__errno_location() = 0;
  real("remainder", noted(remainder@(x, y)));
  printf(" errno %d", number);
  real("drem", drem@(x, y));
  *__errno_location() = 0;
  real("fdim", noted(fdim@(x, y)));
  printf(" errno %d", number);
  if (x != 0 || y != 0) {
    real("fmax", fmax@(x, y));
    real("fmin", fmin@(x, y));
  }
  real("remquo", remquo@(x, y, &q));
  if (x == x && y == y && y != 0 && x - x == 0)
    printf(" %d", q);
  *__errno_location() = 0;
  real("nextafter", noted(nextafter@(x, y)));
  printf(" errno %d\n", number);
}
int main(void) {
  static const int powers[] = {0, 1, -1, 2, 10, -10, 52, -52, 63, 64, -64, 127, -127, -149, 150, 1023, 1024, -1022, -1074, -1075, 2000, -2000, 2100, -2100, 16383, -16383, 20000, -20000, 2147483647, -2147483647};
  static REAL table[200];
  edge(0);
  for (int i = 0; i < edges; i++)
    table[i] = edge(i);
  for (int i = 0; i < edges; i++)
    unary(table[i]);
  for (int i = 0; i < RANDOM; i++)
    unary(any());
  for (int i = 0; i < edges; i++)
    for (unsigned j = 0; j < sizeof powers / sizeof powers[0]; j++)
      scaled(table[i], powers[j]);
  for (int i = 0; i < RANDOM; i++)
    scaled(any(), (int)(next() % 300) - 150);
  for (int i = 0; i < edges; i++)
    for (int j = 0; j < edges; j++)
      binary(table[i], table[j]);
  for (int i = 0; i < RANDOM; i++)
    binary(any(), any());
  return 0;
}
