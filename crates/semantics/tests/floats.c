/* All operations on floats, on operands that are drawn or special; results stay in memory, where the encoder's are compared
   with the interpreter's, also those that are not a number. */
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);
extern long long __VERIFIER_nondet_longlong(void);
extern unsigned __VERIFIER_nondet_uint(void);

float specials[8] = {0.0f, -0.0f, 1.0f, -1.5f, 0x1p-149f, 0x1.fffffep127f, 1.0f / 0.0f, 0x1p-126f};
double wides[8] = {0.0, -0.0, 1.0, 0x1.8p-1, 0x1p-1074, 0x1.fffffffffffffp1023, -1.0 / 0.0, 0x1.000002p-126};
float singles[8];
double doubles[8];
int truths[8];
long long wholes[4];

static void single(float a, float b) {
  singles[0] = a + b;
  singles[1] = a - b;
  singles[2] = a * b;
  singles[3] = a / b;
  singles[4] = -a;
  singles[5] = a * a;
  singles[6] = a / 2.0f;
  truths[0] = a < b;
  truths[1] = a <= b;
  truths[2] = a == b;
  truths[3] = a != b;
  truths[4] = !a;
  doubles[7] = a;
  if (a > -100.0f && a < 100.0f) {
    wholes[0] = (signed char)a;
    wholes[1] = (long long)(a * 3.0f);
  }
}

static void wide(double a, double b) {
  doubles[0] = a + b;
  doubles[1] = a - b;
  doubles[2] = a * b;
  doubles[3] = a / b;
  doubles[4] = -a;
  doubles[5] = 1.0 / a;
  truths[5] = a < b;
  truths[6] = a >= b;
  truths[7] = a == b ? 1 : a != a;
  singles[7] = (float)a;
  if (a >= 0 && a < 4e9)
    wholes[2] = (unsigned)a;
}

static void whole(long long n, unsigned m) {
  single((float)n, (float)m);
  wide((double)n, (double)(unsigned long long)n);
  doubles[6] = (short)n;
}

int main(void) {
  for (int i = 0; i < 6; i++) {
    unsigned a = __VERIFIER_nondet_uint() % 8, b = __VERIFIER_nondet_uint() % 8;
    single(specials[a], specials[b]);
    wide(wides[a], wides[b]);
    single(__VERIFIER_nondet_float(), specials[b]);
    wide(wides[a], __VERIFIER_nondet_double());
    float x = __VERIFIER_nondet_float();
    double y = __VERIFIER_nondet_double();
    single(x, x * 0.99f);
    single(x, __VERIFIER_nondet_float());
    wide(y, y / 3);
    wide(y, __VERIFIER_nondet_double());
    whole(__VERIFIER_nondet_longlong(), __VERIFIER_nondet_uint());
  }
  return 0;
}
