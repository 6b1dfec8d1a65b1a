/* Prints what depends on the rounding mode, and what does not, for one type in each mode, as bits. REAL is the type and
   @ the end of the names; the test compares what gcc with glibc prints. Numbers are made in the mode to nearest. */
typedef unsigned long long u64;
extern int printf(const char *, ...), fegetround(void), fesetround(int);
extern REAL fabs@(REAL), trunc@(REAL), floor@(REAL), ceil@(REAL), round@(REAL), rint@(REAL), nearbyint@(REAL),
    modf@(REAL, REAL *), frexp@(REAL, int *), roundeven@(REAL), fmod@(REAL, REAL), remainder@(REAL, REAL),
    fdim@(REAL, REAL), nextafter@(REAL, REAL), logb@(REAL), sqrt@(REAL);
extern long lround@(REAL), lrint@(REAL);
extern long long llround@(REAL), llrint@(REAL);

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
static const int modes[] = {0, 0x400, 0x800, 0xc00};
static u64 numbers[] = {16777217, 9007199254740993ull, -16777217ull, ~0ull, 1ull << 63, 0x7fffffffffffffff, 0};
static void unary(REAL x) {
  numbers[6] = next() >> next() % 40;
  for (int i = 0; i < 4; i++) {
    int e;
    REAL whole, y = x;
    fesetround(modes[i]);
    printf("%x ", fegetround());
    real("x", x);
    real("rint", rint@(x));
    real("nearbyint", nearbyint@(x));
    real("roundeven", roundeven@(x));
    real("trunc", trunc@(x));
    real("floor", floor@(x));
    real("ceil", ceil@(x));
    real("round", round@(x));
    printf(" long %ld %ld %lld %lld", lround@(x), lrint@(x), llround@(x), llrint@(x));
    real("modf", modf@(x, &whole));
    real("whole", whole);
    real("frexp", frexp@(x, &e));
    real("logb", logb@(x));
    real("fabs", fabs@(-x));
    real("more", ++y);
    real("less", y -= (REAL)3);
    if (ROOTS)
      real("sqrt", sqrt@(x));
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
      real("signed", (REAL)(long long)numbers[i]);
      real("unsigned", (REAL)numbers[i]);
      real("int", (REAL)(int)numbers[i]);
    }
    real("float", (REAL)(float)x);
    real("double", (REAL)(double)x);
    printf(" %d\n", fesetround(0) + fesetround(0x123));
  }
}
static void binary(REAL x, REAL y) {
  for (int i = 0; i < 4; i++) {
    printf("%x ", modes[i]);
    real("x", x);
    real("y", y);
    fesetround(modes[i]);
    REAL sum = x + y, difference = x - y, both = (x + y) - (y - x);
    int less = x + y < y;
    real("sum", sum);
    real("difference", difference);
    real("both", both);
    real("chosen", less ? x - y : sum - x);
    REAL product = 0, quotient = 0;
    if (ROOTS) {
      product = x * y;
      quotient = x / y;
    }
    real("product", product);
    real("quotient", quotient);
    real("fmod", fmod@(x, y));
    if (modes[i] != 0x400)
      real("remainder", remainder@(x, y));
    real("fdim", fdim@(x, y));
    real("nextafter", nextafter@(x, y));
    fesetround(0);
    printf(" less %d %d\n", less, x + y > x);
  }
}
int main(void) {
  static REAL table[200];
  edge(0);
  for (int i = 0; i < edges; i++)
    table[i] = edge(i);
  for (int i = 0; i < edges; i++)
    unary(table[i]);
  for (int i = 0; i < RANDOM; i++)
    unary(any());
  for (int i = 0; i < edges; i++)
    for (int j = 0; j < edges; j++)
      binary(table[i], table[j]);
  for (int i = 0; i < RANDOM; i++) {
    REAL x = any(), y = any();
    binary(x, y);
    binary(x, x / 3);
  }
  return 0;
}
