/* What sscanf reads, for formats that have a model. */
extern int printf(const char *, ...), sscanf(const char *, const char *, ...);
extern int *__errno_location(void);
#define errno (*__errno_location())

static void numbers(const char *text) {
  int i = -7;
  unsigned u = 7;
  long l = 70;
  unsigned long ul = 71;
  long long ll = 72;
  unsigned long long ull = 73;
  short h = 74;
  signed char hh = 75;
  int done, number;
  errno = 0;
  done = sscanf(text, "%d", &i);
  number = errno;
  printf(" %d %d %d", number, done, i);
  errno = 0;
  done = sscanf(text, "%u", &u);
  number = errno;
  printf(" %d %d %u", number, done, u);
  errno = 0;
  done = sscanf(text, "%ld", &l);
  number = errno;
  printf(" %d %d %ld", number, done, l);
  errno = 0;
  done = sscanf(text, "%lu", &ul);
  number = errno;
  printf(" %d %d %lu", number, done, ul);
  errno = 0;
  done = sscanf(text, "%lld", &ll);
  number = errno;
  printf(" %d %d %lld", number, done, ll);
  errno = 0;
  done = sscanf(text, "%llu", &ull);
  number = errno;
  printf(" %d %d %llu", number, done, ull);
  errno = 0;
  done = sscanf(text, "%hd", &h);
  number = errno;
  printf(" %d %d %d", number, done, h);
  errno = 0;
  done = sscanf(text, "%hhd", &hh);
  number = errno;
  printf(" %d %d %d", number, done, hh);
  errno = 0;
  done = sscanf(text, "%3d", &i);
  number = errno;
  printf(" %d %d %d", number, done, i);
  errno = 0;
  done = sscanf(text, "%1u", &u);
  number = errno;
  printf(" %d %d %d", number, done, u);
  printf("\n");
}
static void pairs(const char *text) {
  int a = -1, b = -2, n = -3, done;
  char c[8] = "#######", s[8] = "@@@@@@@";
  done = sscanf(text, "%d,%d%n", &a, &b, &n);
  printf("%d %d %d %d\n", done, a, b, n);
  done = sscanf(text, " %d : %d %n", &a, &b, &n);
  printf("%d %d %d %d\n", done, a, b, n);
  done = sscanf(text, "%*d %3c %7s", c, s);
  printf("%d %s %s\n", done, c, s);
  done = sscanf(text, "%7s%c", s, c);
  printf("%d %s %s\n", done, c, s);
  done = sscanf(text, "%2s%%%d", s, &a);
  printf("%d %s %d\n", done, s, a);
  done = sscanf(text, "x%dy", &a);
  printf("%d %d\n", done, a);
  done = sscanf(text, "%*s%*c%2d%1d", &a, &b);
  printf("%d %d %d\n", done, a, b);
}
int main(void) {
  static const char *const texts[] = {
      "",      " ",      "0",       "-0",     "+5",         "-12345", "  42x",      "2147483647", "2147483648",
      "-2147483648",     "-2147483649",       "4294967295", "4294967296", "-1", "-4294967296", "99999999999999999999",
      "-99999999999999999999", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
      "18446744073709551615",  "18446744073709551616", "-", "+", "--1", "+-1", "0x10", "x12y", "x12", "x",
      "007",  "12,34",  "12 ,34",  "12, 34", "12:34", "12 : 34 ", "12 :", "1 abc def", "1abcd", "5 a",
      "abcdefghij", "ab%77",  "ab %77", "ab%", "ab", "a 1234", "12\t\n34", "%5", "12,", "12,x", "1  ab", "word x",
  };
  for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    numbers(texts[i]);
    pairs(texts[i]);
  }
  return 0;
}
