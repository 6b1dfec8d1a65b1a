/* More of string.h, stdlib.h and inttypes.h; what stdio.h writes into buffers. Read behind library.c. */

char *strtok_r(char *s, const char *separators, char **rest) {
  if (!s)
    s = *rest;
  s += strspn(s, separators);
  if (!*s) {
    *rest = s;
    return 0;
  }
  char *end = s + strcspn(s, separators);
  if (*end)
    *end++ = 0;
  *rest = end;
  return s;
}
char *__strtok_r(char *s, const char *separators, char **rest) { return strtok_r(s, separators, rest); }
static char *strtok_rest;
char *strtok(char *s, const char *separators) { return strtok_r(s, separators, &strtok_rest); }
char *strsep(char **rest, const char *separators) {
  char *s = *rest;
  if (!s)
    return 0;
  char *end = s + strcspn(s, separators);
  if (*end) {
    *end = 0;
    *rest = end + 1;
  } else
    *rest = 0;
  return s;
}
void *memmem(const void *s, size_t n, const void *part, size_t m) {
  const char *p = s;
  for (; n >= m; n--, p++)
    if (memcmp(p, part, m) == 0)
      return (void *)p;
  return 0;
}
void *memccpy(void *to, const void *from, int c, size_t n) {
  unsigned char *p = to;
  const unsigned char *q = from;
  while (n--)
    if ((*p++ = *q++) == (unsigned char)c)
      return p;
  return 0;
}
void *rawmemchr(const void *s, int c) {
  const unsigned char *p = s;
  while (*p != (unsigned char)c)
    p++;
  return (void *)p;
}
void *__rawmemchr(const void *s, int c) { return rawmemchr(s, c); }
char *stpncpy(char *to, const char *from, size_t n) {
  size_t length = strnlen(from, n);
  strncpy(to, from, n);
  return to + length;
}
size_t strlcat(char *to, const char *from, size_t n) {
  size_t length = strnlen(to, n);
  return length == n ? n + strlen(from) : length + strlcpy(to + length, from, n - length);
}
char *strcasestr(const char *s, const char *part) {
  size_t n = strlen(part);
  for (;; s++) {
    if (strncasecmp(s, part, n) == 0)
      return (char *)s;
    if (!*s)
      return 0;
  }
}

long long imaxabs(long long x) { return x < 0 ? -x : x; }
long long strtoimax(const char *s, char **end, int base) { return strtoll(s, end, base); }
unsigned long long strtoumax(const char *s, char **end, int base) { return strtoull(s, end, base); }
long long __isoc23_strtoimax(const char *s, char **end, int base) { return __isoc23_strtoll(s, end, base); }
unsigned long long __isoc23_strtoumax(const char *s, char **end, int base) {
  return __isoc23_strtoull(s, end, base);
}
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
div_t div(int x, int y) {
  div_t r;
  r.quot = x / y;
  r.rem = x % y;
  return r;
}
ldiv_t ldiv(long x, long y) {
  ldiv_t r;
  r.quot = x / y;
  r.rem = x % y;
  return r;
}
lldiv_t lldiv(long long x, long long y) {
  lldiv_t r;
  r.quot = x / y;
  r.rem = x % y;
  return r;
}

/* Bytes in the order of networks, which is not that of x86. */
unsigned short htons(unsigned short x) { return (unsigned short)(x << 8 | x >> 8); }
unsigned short ntohs(unsigned short x) { return htons(x); }
unsigned htonl(unsigned x) { return x << 24 | (x << 8 & 0xff0000) | (x >> 8 & 0xff00) | x >> 24; }
unsigned ntohl(unsigned x) { return htonl(x); }

/* What the world gives: anything within the contract. No error is reported that hangs on the value, so
   it is cut to size rather than assumed to be right: all that follows would hang on the assumption. */
extern void __hardbop_unknown_long(long *p, const char *function);
int rand(void) {
  int x;
  __hardbop_unknown_int(&x, "rand");
  return x & 0x7fffffff;
}
long random(void) {
  int x;
  __hardbop_unknown_int(&x, "random");
  return x & 0x7fffffff;
}
long lrand48(void) {
  int x;
  __hardbop_unknown_int(&x, "lrand48");
  return x & 0x7fffffff;
}
long mrand48(void) {
  int x;
  __hardbop_unknown_int(&x, "mrand48");
  return x;
}
int getchar(void) {
  int c;
  __hardbop_unknown_errno("getchar");
  __hardbop_unknown_int(&c, "getchar");
  return c & 256 ? -1 : c & 255;
}
int fgetc(void *stream) {
  int c;
  __hardbop_unknown_errno("fgetc");
  __hardbop_unknown_int(&c, "fgetc");
  return c & 256 ? -1 : c & 255;
}
int getc(void *stream) {
  int c;
  __hardbop_unknown_errno("getc");
  __hardbop_unknown_int(&c, "getc");
  return c & 256 ? -1 : c & 255;
}
long time(long *to) {
  long now;
  __hardbop_unknown_long(&now, "time");
  if (to)
    *to = now;
  return now;
}

/* What printf makes of a format that lowering has looked at: it has only conversions that are known here. At
   most room bytes are written, the zero at the end included. */
struct text { char *to; size_t room, count; };
static void put(struct text *t, char c) {
  if (t->room && t->count < t->room - 1)
    t->to[t->count] = c;
  t->count++;
}
static void put_times(struct text *t, char c, long long times) {
  while (times-- > 0)
    put(t, c);
}
/* A body between spaces up to the width. */
static void put_padded(struct text *t, const char *s, size_t length, long long width, int left) {
  long long space = width - (long long)length;
  if (!left)
    put_times(t, ' ', space);
  for (size_t i = 0; i < length; i++)
    put(t, s[i]);
  if (left)
    put_times(t, ' ', space);
}
struct conversion { int left, zero, plus, blank, other, size; long long width, precision; };
static void put_number(struct text *t, unsigned long long value, const char *sign, unsigned base, int upper,
                       struct conversion *c) {
  char digits[24];
  long long n = 0, zeros = 0;
  for (unsigned long long rest = value; rest; rest /= base) {
    unsigned digit = rest % base;
    digits[n++] = digit < 10 ? '0' + digit : (upper ? 'A' : 'a') + (digit - 10);
  }
  if (c->precision >= 0)
    zeros = c->precision - n;
  else if (n == 0)
    zeros = 1;
  if (c->other && base == 8 && zeros <= 0)
    zeros = n == 0 && c->precision < 0 ? 1 : (n == 0 || digits[n - 1] != '0');
  if (c->other && base == 16 && value)
    sign = upper ? "0X" : "0x";
  long long signs = strlen(sign);
  if (zeros < 0)
    zeros = 0;
  if (c->precision < 0 && c->zero && !c->left && c->width > signs + zeros + n)
    zeros = c->width - signs - n;
  long long space = c->width - signs - zeros - n;
  if (!c->left)
    put_times(t, ' ', space);
  for (long long i = 0; i < signs; i++)
    put(t, sign[i]);
  put_times(t, '0', zeros);
  while (n > 0)
    put(t, digits[--n]);
  if (c->left)
    put_times(t, ' ', space);
}
static const char *conversion(const char *format, struct conversion *c, __builtin_va_list *list) {
  c->left = c->zero = c->plus = c->blank = c->other = c->size = 0;
  c->width = 0;
  c->precision = -1;
  for (;; format++) {
    if (*format == '-')
      c->left = 1;
    else if (*format == '0')
      c->zero = 1;
    else if (*format == '+')
      c->plus = 1;
    else if (*format == ' ')
      c->blank = 1;
    else if (*format == '#')
      c->other = 1;
    else
      break;
  }
  if (*format == '*') {
    format++;
    c->width = __builtin_va_arg(*list, int);
    if (c->width < 0) {
      c->left = 1;
      c->width = -c->width;
    }
  }
  while (*format >= '0' && *format <= '9')
    c->width = c->width * 10 + (*format++ - '0');
  if (*format == '.') {
    format++;
    c->precision = 0;
    if (*format == '*') {
      format++;
      c->precision = __builtin_va_arg(*list, int);
    }
    while (*format >= '0' && *format <= '9')
      c->precision = c->precision * 10 + (*format++ - '0');
  }
  for (; *format == 'h' || *format == 'l'; format++)
    c->size += *format == 'l' ? 1 : -1;
  if (*format == 'j')
    c->size = 2;
  if (*format == 'z' || *format == 't')
    c->size = 1;
  if (*format == 'j' || *format == 'z' || *format == 't')
    format++;
  return format;
}
static long long signed_argument(int size, __builtin_va_list *list) {
  switch (size) {
  case 2: return __builtin_va_arg(*list, long long);
  case 1: return __builtin_va_arg(*list, long);
  case -1: return (short)__builtin_va_arg(*list, int);
  case -2: return (signed char)__builtin_va_arg(*list, int);
  default: return __builtin_va_arg(*list, int);
  }
}
static unsigned long long unsigned_argument(int size, __builtin_va_list *list) {
  switch (size) {
  case 2: return __builtin_va_arg(*list, unsigned long long);
  case 1: return __builtin_va_arg(*list, unsigned long);
  case -1: return (unsigned short)__builtin_va_arg(*list, unsigned);
  case -2: return (unsigned char)__builtin_va_arg(*list, unsigned);
  default: return __builtin_va_arg(*list, unsigned);
  }
}
static void put_argument(struct text *t, char kind, struct conversion *c, __builtin_va_list *list) {
  if (kind == '%') {
    put(t, '%');
  } else if (kind == 'c') {
    char letter = (char)__builtin_va_arg(*list, int);
    put_padded(t, &letter, 1, c->width, c->left);
  } else if (kind == 's') {
    const char *s = __builtin_va_arg(*list, const char *);
    if (!s)
      s = c->precision >= 0 && c->precision < 6 ? "" : "(null)";
    size_t length = c->precision < 0 ? strlen(s) : strnlen(s, (size_t)c->precision);
    put_padded(t, s, length, c->width, c->left);
  } else if (kind == 'd' || kind == 'i') {
    long long value = signed_argument(c->size, list);
    const char *sign = value < 0 ? "-" : c->plus ? "+" : c->blank ? " " : "";
    put_number(t, value < 0 ? -(unsigned long long)value : (unsigned long long)value, sign, 10, 0, c);
  } else {
    unsigned base = kind == 'o' ? 8 : kind == 'u' ? 10 : 16;
    put_number(t, unsigned_argument(c->size, list), "", base, kind == 'X', c);
  }
}
int __hardbop_vsnprintf(char *to, size_t room, const char *format, __builtin_va_list given) {
  struct text t = {to, room, 0};
  struct conversion c;
  __builtin_va_list list;
  __builtin_va_copy(list, given);
  for (; *format; format++) {
    if (*format == '%') {
      format = conversion(format + 1, &c, &list);
      put_argument(&t, *format, &c, &list);
    } else
      put(&t, *format);
  }
  __builtin_va_end(list);
  if (room)
    to[t.count < room ? t.count : room - 1] = 0;
  if (t.count > 0x7fffffff) {
    __hardbop_set_errno(75); /* EOVERFLOW */
    return -1;
  }
  return (int)t.count;
}
int __hardbop_vsprintf(char *to, const char *format, __builtin_va_list list) {
  return __hardbop_vsnprintf(to, (size_t)-1, format, list);
}
int __hardbop_snprintf(char *to, size_t room, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  int count = __hardbop_vsnprintf(to, room, format, list);
  __builtin_va_end(list);
  return count;
}
int __hardbop_sprintf(char *to, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  int count = __hardbop_vsnprintf(to, (size_t)-1, format, list);
  __builtin_va_end(list);
  return count;
}

/* A conversion of sscanf: how many letters it may take, the size of what it sets (as above), and whether it sets none. */
struct scan {
  int width, size, drops;
};
static const char *scan_conversion(const char *format, struct scan *c) {
  *c = (struct scan){0, 0, 0};
  if (*format == '*') {
    format++;
    c->drops = 1;
  }
  while (*format >= '0' && *format <= '9')
    c->width = c->width * 10 + (*format++ - '0');
  if (c->width == 0)
    c->width = 0x7fffffff;
  for (; *format == 'h' || *format == 'l'; format++)
    c->size += *format == 'l' ? 1 : -1;
  return format;
}
/* Reads a number for `%d` or `%u`, clamped to what strtol or its kin of that size give; null if there is none. */
static const char *scan_number(const char *s, int is_signed, struct scan *c, unsigned long long *value) {
  int minus = *s == '-', any = 0, large = 0, left = c->width;
  unsigned long long limit = c->size == 2 ? ~0ull : ~0ul;
  if (is_signed)
    limit = (limit >> 1) + minus;
  if (*s == '-' || *s == '+')
    s++, left--;
  *value = 0;
  for (; left > 0 && *s >= '0' && *s <= '9'; s++, left--, any = 1) {
    unsigned d = *s - '0';
    large = large || *value > (limit - d) / 10;
    *value = large ? limit : *value * 10 + d;
  }
  if (large)
    __hardbop_set_errno(34);
  if (minus && (is_signed || !large))
    *value = -*value;
  return any ? s : 0;
}
static void scan_store(void *to, int size, unsigned long long value) {
  switch (size) {
  case 2: *(long long *)to = (long long)value; break;
  case 1: *(long *)to = (long)value; break;
  case -1: *(short *)to = (short)value; break;
  case -2: *(signed char *)to = (signed char)value; break;
  default: *(int *)to = (int)value;
  }
}
int __hardbop_sscanf(const char *start, const char *format, ...) {
  const char *s = start;
  struct scan c;
  int done = 0;
  __builtin_va_list list;
  __builtin_va_start(list, format);
  for (; *format; format++) {
    if (space(*format)) {
      while (space(*s))
        s++;
      continue;
    }
    if (*format != '%') {
      if (*s != *format)
        return *s || done ? done : -1;
      s++;
      continue;
    }
    format = scan_conversion(format + 1, &c);
    if (*format == 'n') {
      scan_store(__builtin_va_arg(list, void *), c.size, s - start);
      continue;
    }
    while (*format != 'c' && space(*s))
      s++;
    if (!*s)
      return done ? done : -1;
    if (*format == '%') {
      if (*s++ != '%')
        return done;
    } else if (*format == 'c' || *format == 's') {
      char *to = c.drops ? 0 : __builtin_va_arg(list, char *);
      int left = *format == 'c' && c.width == 0x7fffffff ? 1 : c.width;
      for (; left > 0 && *s && (*format == 'c' || !space(*s)); left--, s++)
        if (to)
          *to++ = *s;
      if (to && *format == 's')
        *to = 0;
      done += !c.drops;
    } else {
      unsigned long long value;
      s = scan_number(s, *format == 'd', &c, &value);
      if (!s)
        return done;
      if (!c.drops)
        scan_store(__builtin_va_arg(list, void *), c.size, value);
      done += !c.drops;
    }
  }
  return done;
}

int ffs(int x) { return __builtin_ffs(x); }
int ffsl(long x) { return __builtin_ffsl(x); }
int ffsll(long long x) { return __builtin_ffsll(x); }
void explicit_bzero(void *s, size_t n) { memset(s, 0, n); }
void swab(const void *from, void *to, long n) {
  const char *s = from;
  char *t = to;
  n &= ~1L;
  while (n > 1) {
    char odd = s[--n], even = s[--n];
    t[n] = odd;
    t[n + 1] = even;
  }
}
/* In the C locale. */
size_t strxfrm(char *to, const char *from, size_t n) {
  size_t length = strlen(from);
  if (n > 0)
    stpncpy(to, from, n < length + 1 ? n : length + 1);
  return length;
}
double difftime(long later, long earlier) {
  if (__hardbop_rounding(rounding_mode))
    __hardbop_unsupported("`difftime` in another rounding mode than to nearest");
  return (long double)later - (long double)earlier;
}
