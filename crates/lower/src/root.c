/* What there is for float and double and not for long double: lowering reads this once for each. REAL is the type, @ the
   end of the names, WORD an unsigned integer of the same size, FRACTION how many bits there are behind the exponent,
   and lines with SHIFT and STEP are written out. */

/* The square root, which is exact in any rounding mode: the root of the mantissa is found bit by bit, one bit more than
   the result has. */
REAL sqrt@(REAL x) {
  union { REAL number; WORD bits; } result;
  if (x != x || x == 0)
    return x;
  if (x < 0) {
    __hardbop_set_errno(33);
    return (x - x) / (x - x);
  }
  if (__builtin_isinf_sign(x))
    return x;
  result.number = x;
  int exponent = (int)(result.bits >> FRACTION), fits;
  unsigned long long number = result.bits & (((WORD)1 << FRACTION) - 1), root = 0, rest = 0, trial;
  if (exponent)
    number |= 1ull << FRACTION;
  else {
    exponent = 1;
    SHIFT(if (number >> (FRACTION + 1 - P) == 0) { number <<= P; exponent -= P; })
  }
  exponent -= BIAS;
  if (exponent & 1) {
    number <<= 1;
    exponent--;
  }
  /* The root of what was read of the number and its zeros behind the point, and what that leaves. */
  STEP(trial = root << 2 | 1; rest = rest << 2 | (number >> FRACTION & 3); fits = rest >= trial; rest -= fits ? trial : 0; root = root << 1 | fits; number <<= 2;)
  /* What lies just between two numbers is no root. */
  int up = (int)(root & 1);
  if (__hardbop_rounding(rounding_mode))
    up = __hardbop_rounding(rounding_mode) == 0x800 && (up || rest);
  result.bits = ((WORD)(exponent / 2 + BIAS - 1) << FRACTION) + (WORD)(root >> 1) + up;
  return result.number;
}

/* Conversions, products and quotients by the rounding mode: what the result to nearest is off by, WIDE tells, the next
   larger type. */
REAL __hardbop_narrow@(WIDE x) {
  REAL near = (REAL)x;
  if (rounding_mode == 0 || x != x || near == x)
    return near;
  return by_mode@(near, near < x);
}
REAL __hardbop_narrow_long@(long double x) {
  REAL near = (REAL)x;
  if (rounding_mode == 0 || x != x || near == x)
    return near;
  return by_mode@(near, near < x);
}
/* Whether x * y is more than what it is compared with (1), less (-1), or neither. A product has twice as
   many bits: those of a WIDE number and what that is off by (Veltkamp 1968, Dekker 1971), in whose range nothing overflows. */
static int product_compared@(REAL x, REAL y, REAL with) {
  WIDE split = 0x1p32L + 1, most = (WIDE)x * y;
  WIDE a = split * x - (split * x - x), b = x - a, c = split * y - (split * y - y), d = y - c;
  long double off = a * c - most + a * d + b * c + b * d;
  if (most != with)
    return most > with ? 1 : -1;
  return off > 0 ? 1 : off < 0 ? -1 : 0;
}
REAL __hardbop_product@(REAL x, REAL y) {
  REAL near = x * y;
  if (rounding_mode == 0 || !__builtin_isfinite(x) || !__builtin_isfinite(y))
    return near;
  int order = product_compared@(x, y, near);
  return order == 0 ? near : by_mode@(near, order > 0);
}
REAL __hardbop_quotient@(REAL x, REAL y) {
  REAL near = x / y;
  if (rounding_mode == 0 || !__builtin_isfinite(x) || !__builtin_isfinite(y) || y == 0)
    return near;
  if (__builtin_isinf_sign(near))
    return by_mode@(near, near < 0);
  int order = product_compared@(near, y, x);
  return order == 0 ? near : by_mode@(near, order < 0 ? y > 0 : y < 0);
}
