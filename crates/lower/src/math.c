/* math.h for one floating-point type, as glibc computes it. Lowering reads this once for
   each type: REAL is the type, @ the end of the names, WHOLE a power of two from which on all numbers are whole,
   LARGEST and SMALLEST the exponents of two of the largest and the smallest normal number, DIGITS the precision.
   Nothing here converts a number to an integer type that cannot hold it. Operators round to nearest, whatever mode
   fesetround has set; where a function depends on the mode, it asks for it. */

int __fpclassify@(REAL x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }
int __isnan@(REAL x) { return x != x; }
int isnan@(REAL x) { return x != x; }
int __isinf@(REAL x) { return __builtin_isinf_sign(x); }
int isinf@(REAL x) { return __builtin_isinf_sign(x); }
int __finite@(REAL x) { return __builtin_isfinite(x); }
int finite@(REAL x) { return __builtin_isfinite(x); }
int __signbit@(REAL x) { return __builtin_signbit(x) ? SIGN : 0; }
REAL fabs@(REAL x) { return __builtin_fabs@(x); }
REAL copysign@(REAL x, REAL y) { return __builtin_copysign@(x, y); }

REAL trunc@(REAL x) {
  if (!(__builtin_fabs@(x) < WHOLE))
    return x;
  return __builtin_copysign@((REAL)(long long)x, x);
}
REAL floor@(REAL x) {
  if (!(__builtin_fabs@(x) < WHOLE))
    return x;
  REAL whole = (REAL)(long long)x;
  return __builtin_copysign@(whole > x ? whole - 1 : whole, x);
}
REAL ceil@(REAL x) {
  if (!(__builtin_fabs@(x) < WHOLE))
    return x;
  REAL whole = (REAL)(long long)x;
  return __builtin_copysign@(whole < x ? whole + 1 : whole, x);
}
REAL round@(REAL x) {
  REAL size = __builtin_fabs@(x);
  if (!(size < WHOLE))
    return x;
  REAL whole = (REAL)(long long)size;
  return __builtin_copysign@(size - whole >= (REAL)0.5 ? whole + 1 : whole, x);
}
REAL roundeven@(REAL x) {
  REAL size = __builtin_fabs@(x);
  if (!(size < WHOLE))
    return x;
  long long below = (long long)size;
  REAL whole = (REAL)below, rest = size - whole;
  if (rest > (REAL)0.5 || (rest == (REAL)0.5 && (below & 1)))
    whole = whole + 1;
  return __builtin_copysign@(whole, x);
}
REAL rint@(REAL x) {
  if (__hardbop_rounding(rounding_mode) == 0x400)
    return floor@(x);
  if (__hardbop_rounding(rounding_mode) == 0x800)
    return ceil@(x);
  if (__hardbop_rounding(rounding_mode) == 0xc00)
    return trunc@(x);
  return roundeven@(x);
}
REAL nearbyint@(REAL x) { return rint@(x); }

/* A number that was rounded to nearest, by the mode: what was rounded is larger, or else smaller. */
static REAL by_mode@(REAL x, int larger) {
  int mode = rounding_mode;
  if (mode == (larger ? 0x800 : 0x400) || (mode == 0xc00 && x != 0 && larger == (x < 0)))
    return next_step@(x, x == 0 || larger == (x > 0));
  return x;
}
/* x + y by the mode, from what it is to nearest. What was added to the larger number has no rounding error
   (Dekker 1971, Fast2Sum), and cannot overflow if the sum did not. */
static REAL sum_by_mode@(REAL x, REAL y, REAL sum) {
  if (sum == 0) {
    if (rounding_mode == 0x400 && (x != 0 || !__builtin_signbit(x) != !__builtin_signbit(y)))
      return -(REAL)0;
    return sum;
  }
  if (sum != sum || __builtin_isinf_sign(x) || __builtin_isinf_sign(y))
    return sum;
  if (__builtin_isinf_sign(sum))
    return by_mode@(sum, sum < 0);
  int swapped = __builtin_fabs@(x) < __builtin_fabs@(y);
  REAL large = swapped ? y : x, small = swapped ? x : y;
  REAL added = sum - large;
  return added == small ? sum : by_mode@(sum, added < small);
}
REAL __hardbop_sum@(REAL x, REAL y) {
  if (rounding_mode == 0)
    return x + y;
  return sum_by_mode@(x, y, x + y);
}
REAL __hardbop_difference@(REAL x, REAL y) {
  if (rounding_mode == 0)
    return x - y;
  return sum_by_mode@(x, -y, x - y);
}

/* What does not fit is what the machine's conversion gives for it. */
static long long to_long_long@(REAL x) {
  if (x >= (REAL)-0x1p63L && x < (REAL)0x1p63L)
    return (long long)x;
  return -0x7fffffffffffffffll - 1;
}
static long to_long@(REAL x) {
  if (sizeof(long) == sizeof(long long))
    return to_long_long@(x);
  if (x >= (REAL)-0x1p31L && x < (REAL)0x1p31L)
    return (long)x;
  return (long)(1ul << (8 * sizeof(long) - 1));
}
long long llround@(REAL x) { return to_long_long@(round@(x)); }
long long llrint@(REAL x) { return to_long_long@(rint@(x)); }
long lround@(REAL x) { return to_long@(round@(x)); }
long lrint@(REAL x) { return to_long@(rint@(x)); }

static REAL invalid@(REAL x, REAL y) {
  if (x == x && y == y)
    __hardbop_set_errno(33);
  return (x * y) / (x * y);
}
REAL fmod@(REAL x, REAL y) {
  if (x != x || y != y || y == 0 || __builtin_isinf_sign(x))
    return invalid@(x, y);
  return __hardbop_fmod@(x, y);
}
/* A remainder of zero has the sign of x; versions of glibc differ in that when they round down. */
static REAL nothing_left@(REAL x) {
  if (__hardbop_rounding(rounding_mode) == 0x400)
    __hardbop_unsupported("a remainder of zero where numbers are rounded down");
  return __builtin_copysign@((REAL)0, x);
}
REAL remainder@(REAL x, REAL y) {
  if (x != x || y != y || y == 0 || __builtin_isinf_sign(x))
    return invalid@(x, y);
  REAL size = __builtin_fabs@(x), by = __builtin_fabs@(y);
  if (__builtin_isinf_sign(y))
    return x;
  if (by <= (REAL)MOST / 2)
    size = __hardbop_fmod@(size, by + by);
  if (by < (REAL)LEAST + (REAL)LEAST) {
    if (size + size > by) {
      size -= by;
      if (size + size >= by)
        size -= by;
    }
  } else {
    REAL half = (REAL)0.5 * by;
    if (size > half) {
      size -= by;
      if (size >= half)
        size -= by;
    }
  }
  if (size == 0)
    return nothing_left@(x);
  return __builtin_signbit(x) ? -size : size;
}
REAL drem@(REAL x, REAL y) { return remainder@(x, y); }
REAL remquo@(REAL x, REAL y, int *quotient) {
  if (x != x || y != y || y == 0 || __builtin_isinf_sign(x)) {
    __hardbop_unknown_int(quotient, "remquo");
    return (x * y) / (x * y);
  }
  int negative = !__builtin_signbit(x) != !__builtin_signbit(y), count = 0;
  REAL size = __builtin_fabs@(x), by = __builtin_fabs@(y);
  if (!__builtin_isinf_sign(y)) {
    if (by <= (REAL)MOST / 8)
      size = __hardbop_fmod@(size, 8 * by);
    if (by <= (REAL)MOST / 4 && size >= 4 * by) {
      size -= 4 * by;
      count += 4;
    }
    if (by <= (REAL)MOST / 2 && size >= 2 * by) {
      size -= 2 * by;
      count += 2;
    }
    if (by < (REAL)LEAST + (REAL)LEAST) {
      if (size + size > by) {
        size -= by;
        count++;
        if (size + size >= by) {
          size -= by;
          count++;
        }
      }
    } else {
      REAL half = (REAL)0.5 * by;
      if (size > half) {
        size -= by;
        count++;
        if (size >= half) {
          size -= by;
          count++;
        }
      }
    }
  }
  *quotient = negative ? -count : count;
  if (size == 0)
    return nothing_left@(x);
  return __builtin_signbit(x) ? -size : size;
}
REAL modf@(REAL x, REAL *whole) {
  if (x != x) {
    *whole = x;
    return x;
  }
  *whole = trunc@(x);
  if (__builtin_isinf_sign(x))
    return __builtin_copysign@((REAL)0, x);
  return __builtin_copysign@(x - *whole, x);
}
REAL fdim@(REAL x, REAL y) {
  if (x <= y)
    return 0;
  REAL distance = __hardbop_rounding(rounding_mode) ? __hardbop_difference@(x, y) : x - y;
  if (__builtin_isinf_sign(distance) && __builtin_isfinite(x) && __builtin_isfinite(y))
    __hardbop_set_errno(34);
  return distance;
}
/* Which of two zeros of different sign is larger is left open. */
REAL fmax@(REAL x, REAL y) {
  if (x == 0 && y == 0 && !__builtin_signbit(x) != !__builtin_signbit(y))
    return __fmax@_finite(x, y);
  if (x >= y || y != y)
    return x;
  return y;
}
REAL fmin@(REAL x, REAL y) {
  if (x == 0 && y == 0 && !__builtin_signbit(x) != !__builtin_signbit(y))
    return __fmin@_finite(x, y);
  if (x <= y || y != y)
    return x;
  return y;
}

/* The exponent of a finite number that is not zero, and the number with exponent 0: 1 <= |*x| < 2. */
static int normalised@(REAL *x) {
  REAL size = __builtin_fabs@(*x);
  int exponent = 0;
  LARGE(size >= (REAL)0x1pPL, size *= (REAL)0x1p-PL, exponent += P)
  SMALL(size < (REAL)0x1p-PL, size *= (REAL)0x1pPL, exponent -= P)
  if (size < 1) {
    size *= 2;
    exponent--;
  }
  *x = __builtin_copysign@(size, *x);
  return exponent;
}
REAL frexp@(REAL x, int *exponent) {
  *exponent = 0;
  if (x == 0 || !__builtin_isfinite(x))
    return x;
  *exponent = normalised@(&x) + 1;
  return x / 2;
}
int ilogb@(REAL x) {
  if (x == 0 || x != x) {
    __hardbop_set_errno(33);
    return -0x7fffffff - 1;
  }
  if (__builtin_isinf_sign(x)) {
    __hardbop_set_errno(33);
    return 0x7fffffff;
  }
  return normalised@(&x);
}
REAL logb@(REAL x) {
  if (x == 0) {
    __hardbop_unknown_errno("logb");
    return -1 / __builtin_fabs@(x);
  }
  if (!__builtin_isfinite(x))
    return x * x;
  return normalised@(&x);
}
REAL significand@(REAL x) {
  if (x == 0 || !__builtin_isfinite(x))
    return x;
  normalised@(&x);
  return x;
}
/* Two to a power between SMALLEST and LARGEST. */
static REAL power_of_two@(int n) {
  REAL power = 1;
  int left = n < 0 ? -n : n;
  POWER(left >= P, left -= P, power *= n < 0 ? (REAL)0x1p-PL : (REAL)0x1pPL)
  return power;
}
/* Scaled in steps of which only the last can round. */
static REAL scaled@(REAL x, long n) {
  if (x == 0 || !__builtin_isfinite(x))
    return x;
  if (__hardbop_rounding(rounding_mode))
    __hardbop_unsupported("scaling a number in another rounding mode than to nearest");
  if (n > 3 * LARGEST)
    n = 3 * LARGEST;
  if (n < -3 * LARGEST)
    n = -3 * LARGEST;
  for (int i = 0; i < 2 && n > LARGEST; i++) {
    x *= power_of_two@(LARGEST);
    n -= LARGEST;
  }
  for (int i = 0; i < 2 && n < SMALLEST; i++) {
    x *= power_of_two@(SMALLEST + DIGITS);
    n -= SMALLEST + DIGITS;
  }
  if (n > LARGEST)
    n = LARGEST;
  if (n < SMALLEST)
    n = SMALLEST;
  x *= power_of_two@((int)n);
  if (x == 0 || !__builtin_isfinite(x))
    __hardbop_set_errno(34);
  return x;
}
REAL ldexp@(REAL x, int n) { return scaled@(x, n); }
REAL scalbn@(REAL x, int n) { return scaled@(x, n); }
REAL scalbln@(REAL x, long n) { return scaled@(x, n); }
/* The next number in the direction of another one. */
REAL nextafter@(REAL x, REAL y) {
  if (x != x || y != y)
    return x + y;
  if (x == y)
    return y;
  if (x == 0)
    return __builtin_copysign@(next_step@(0, 1), y);
  REAL next = next_step@(x, (x < y) == (x > 0));
  if (!__builtin_isnormal(next))
    __hardbop_set_errno(34);
  return next;
}
