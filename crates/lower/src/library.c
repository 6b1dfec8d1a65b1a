/* The parts of the C library that have a meaning of their own, as C. A program's own definitions
   win. Functions whose name starts with __hardbop_ are known to lowering. */

typedef __typeof__(sizeof(0)) size_t;

extern void *__hardbop_malloc(size_t size);
extern void *__hardbop_zalloc(size_t size);
extern void *__hardbop_new(size_t size);
extern void __hardbop_copy_object(void *to, const void *from);
extern void __hardbop_free(void *p);
extern void *__hardbop_copy(void *to, const void *from, size_t n);
extern void *__hardbop_fill(void *to, int byte, size_t n);
extern void __hardbop_assume(int);
extern void __hardbop_abort(void);
extern void __hardbop_exit(int status);
extern size_t __VERIFIER_nondet_size_t(void);

/* Arguments of main: any number of any strings. */
char **__hardbop_arguments(int count) {
  char **vector = __hardbop_new(((size_t)count + 1) * sizeof *vector);
  for (int i = 0; i < count; i++) {
    size_t length = __VERIFIER_nondet_size_t();
    __hardbop_assume(length < 131072); /* the longest string that Linux passes */
    char *text = __hardbop_new(length + 1);
    text[length] = 0;
    vector[i] = text;
  }
  vector[count] = 0;
  return vector;
}

/* What lowering knows, for calls through pointers. */
void __VERIFIER_assume(int condition) { __hardbop_assume(condition); }
void abort(void) { __hardbop_abort(); }
void exit(int status) { __hardbop_exit(status); }
void _exit(int status) { __hardbop_exit(status); }

/* stdlib.h */
void *malloc(size_t size) { return __hardbop_malloc(size); }
void free(void *p) { __hardbop_free(p); }
void *calloc(size_t n, size_t size) {
  if (size != 0 && n > (size_t)-1 / size)
    return 0;
  return __hardbop_zalloc(n * size);
}
void *realloc(void *old, size_t size) {
  if (!old)
    return __hardbop_malloc(size);
  if (size == 0) { /* as glibc does */
    __hardbop_free(old);
    return 0;
  }
  __hardbop_free(0); /* the new object may lie where the old one does */
  void *new = __hardbop_malloc(size);
  if (new) {
    __hardbop_copy_object(new, old);
    __hardbop_free(old);
  }
  return new;
}
void *reallocarray(void *old, size_t n, size_t size) {
  if (size != 0 && n > (size_t)-1 / size)
    return 0;
  return realloc(old, n * size);
}
int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }
static int space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
long long atoll(const char *s) {
  unsigned long long value = 0;
  while (space(*s))
    s++;
  int minus = *s == '-';
  if (*s == '-' || *s == '+')
    s++;
  while (*s >= '0' && *s <= '9')
    value = value * 10 + (*s++ - '0');
  return minus ? -value : value;
}
static int digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z')
    return c - 'A' + 10;
  return 99;
}
/* The magnitude of a number at s, at most limit, and where it ends. */
static const char *number(const char *s, int base, int *minus, unsigned long long limit,
                          unsigned long long *value) {
  const char *start = s;
  int any = 0;
  while (space(*s))
    s++;
  *minus = *s == '-';
  if (*s == '-' || *s == '+')
    s++;
  if ((base == 0 || base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && digit(s[2]) < 16)
    s += 2, base = 16;
  else if (base == 0)
    base = *s == '0' ? 8 : 10;
  *value = 0;
  for (; digit(*s) < base; s++, any = 1) {
    unsigned d = digit(*s);
    *value = *value > (limit - d) / base ? limit : *value * base + d;
  }
  return any ? s : start;
}
long long strtoll(const char *s, char **end, int base) {
  int minus;
  unsigned long long value, most = ~0ull >> 1;
  const char *rest = number(s, base, &minus, most + 1, &value);
  if (end)
    *end = (char *)rest;
  return minus ? -value : value > most ? most : value;
}
unsigned long long strtoull(const char *s, char **end, int base) {
  int minus;
  unsigned long long value;
  const char *rest = number(s, base, &minus, ~0ull, &value);
  if (end)
    *end = (char *)rest;
  return minus && value != ~0ull ? -value : value;
}
long strtol(const char *s, char **end, int base) {
  int minus;
  unsigned long long value, most = ~0ul >> 1;
  const char *rest = number(s, base, &minus, most + 1, &value);
  if (end)
    *end = (char *)rest;
  return minus ? -value : value > most ? most : value;
}
unsigned long strtoul(const char *s, char **end, int base) {
  int minus;
  unsigned long long value;
  const char *rest = number(s, base, &minus, ~0ul, &value);
  if (end)
    *end = (char *)rest;
  return minus && value != ~0ul ? -value : value;
}
long atol(const char *s) { return atoll(s); }
int atoi(const char *s) { return atoll(s); }

/* string.h */
void *memcpy(void *to, const void *from, size_t n) { return __hardbop_copy(to, from, n); }
void *memmove(void *to, const void *from, size_t n) { return __hardbop_copy(to, from, n); }
void *mempcpy(void *to, const void *from, size_t n) { return (char *)__hardbop_copy(to, from, n) + n; }
void *memset(void *to, int byte, size_t n) { return __hardbop_fill(to, byte, n); }
void bzero(void *to, size_t n) { __hardbop_fill(to, 0, n); }
void bcopy(const void *from, void *to, size_t n) { __hardbop_copy(to, from, n); }
int memcmp(const void *a, const void *b, size_t n) {
  const unsigned char *p = a, *q = b;
  for (; n; n--, p++, q++)
    if (*p != *q)
      return *p - *q;
  return 0;
}
int bcmp(const void *a, const void *b, size_t n) { return memcmp(a, b, n); }
void *memchr(const void *s, int c, size_t n) {
  const unsigned char *p = s;
  for (; n; n--, p++)
    if (*p == (unsigned char)c)
      return (void *)p;
  return 0;
}
void *memrchr(const void *s, int c, size_t n) {
  const unsigned char *p = s;
  while (n--)
    if (p[n] == (unsigned char)c)
      return (void *)(p + n);
  return 0;
}
size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n])
    n++;
  return n;
}
size_t strnlen(const char *s, size_t max) {
  size_t n = 0;
  while (n < max && s[n])
    n++;
  return n;
}
char *strcpy(char *to, const char *from) {
  char *start = to;
  while ((*to++ = *from++))
    ;
  return start;
}
char *stpcpy(char *to, const char *from) {
  while ((*to = *from++))
    to++;
  return to;
}
char *strncpy(char *to, const char *from, size_t n) {
  size_t i = 0;
  for (; i < n && from[i]; i++)
    to[i] = from[i];
  for (; i < n; i++)
    to[i] = 0;
  return to;
}
size_t strlcpy(char *to, const char *from, size_t n) {
  size_t length = strlen(from);
  if (n) {
    size_t m = length < n - 1 ? length : n - 1;
    __hardbop_copy(to, from, m);
    to[m] = 0;
  }
  return length;
}
char *strcat(char *to, const char *from) {
  strcpy(to + strlen(to), from);
  return to;
}
char *strncat(char *to, const char *from, size_t n) {
  char *end = to + strlen(to);
  while (n-- && *from)
    *end++ = *from++;
  *end = 0;
  return to;
}
int strcmp(const char *a, const char *b) {
  while (*a && *a == *b)
    a++, b++;
  return *(const unsigned char *)a - *(const unsigned char *)b;
}
int strcoll(const char *a, const char *b) { return strcmp(a, b); }
int strncmp(const char *a, const char *b, size_t n) {
  for (; n; n--, a++, b++) {
    if (*a != *b || !*a)
      return *(const unsigned char *)a - *(const unsigned char *)b;
  }
  return 0;
}
char *strchr(const char *s, int c) {
  for (;; s++) {
    if (*s == (char)c)
      return (char *)s;
    if (!*s)
      return 0;
  }
}
char *index(const char *s, int c) { return strchr(s, c); }
char *strchrnul(const char *s, int c) {
  while (*s && *s != (char)c)
    s++;
  return (char *)s;
}
char *strrchr(const char *s, int c) {
  const char *found = 0;
  for (;; s++) {
    if (*s == (char)c)
      found = s;
    if (!*s)
      return (char *)found;
  }
}
char *rindex(const char *s, int c) { return strrchr(s, c); }
size_t strspn(const char *s, const char *accept) {
  size_t n = 0;
  while (s[n] && strchr(accept, s[n]))
    n++;
  return n;
}
size_t strcspn(const char *s, const char *reject) {
  size_t n = 0;
  while (s[n] && !strchr(reject, s[n]))
    n++;
  return n;
}
char *strpbrk(const char *s, const char *accept) {
  s += strcspn(s, accept);
  return *s ? (char *)s : 0;
}
char *strstr(const char *s, const char *part) {
  size_t n = strlen(part);
  for (;; s++) {
    if (strncmp(s, part, n) == 0)
      return (char *)s;
    if (!*s)
      return 0;
  }
}
char *strdup(const char *s) {
  size_t n = strlen(s) + 1;
  char *copy = __hardbop_malloc(n);
  if (copy)
    __hardbop_copy(copy, s, n);
  return copy;
}
char *__strdup(const char *s) { return strdup(s); }
char *strndup(const char *s, size_t max) {
  size_t n = strnlen(s, max);
  char *copy = __hardbop_malloc(n + 1);
  if (copy) {
    __hardbop_copy(copy, s, n);
    copy[n] = 0;
  }
  return copy;
}

/* ctype.h, in the C locale */
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isalpha(int c) { return isupper(c) || islower(c); }
int isdigit(int c) { return c >= '0' && c <= '9'; }
int isalnum(int c) { return isalpha(c) || isdigit(c); }
int isxdigit(int c) { return isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
int isspace(int c) { return space(c); }
int isblank(int c) { return c == ' ' || c == '\t'; }
int isprint(int c) { return c >= 32 && c < 127; }
int isgraph(int c) { return c > 32 && c < 127; }
int iscntrl(int c) { return (c >= 0 && c < 32) || c == 127; }
int ispunct(int c) { return isgraph(c) && !isalnum(c); }
int isascii(int c) { return (c & ~127) == 0; }
int toascii(int c) { return c & 127; }
int tolower(int c) { return isupper(c) ? c + 32 : c; }
int toupper(int c) { return islower(c) ? c - 32 : c; }
int strcasecmp(const char *a, const char *b) {
  while (*a && tolower(*(const unsigned char *)a) == tolower(*(const unsigned char *)b))
    a++, b++;
  return tolower(*(const unsigned char *)a) - tolower(*(const unsigned char *)b);
}
int strncasecmp(const char *a, const char *b, size_t n) {
  for (; n; n--, a++, b++) {
    int d = tolower(*(const unsigned char *)a) - tolower(*(const unsigned char *)b);
    if (d || !*a)
      return d;
  }
  return 0;
}
/* glibc's macros look characters up in tables that can be indexed from -128. */
static unsigned short class_table[384];
static int lower_table[384], upper_table[384];
static const unsigned short *class_start;
static const int *lower_start, *upper_start;
const unsigned short **__ctype_b_loc(void) {
  if (!class_start) {
    for (int c = 0; c < 256; c++)
      class_table[c + 128] = (isupper(c) ? 256 : 0) | (islower(c) ? 512 : 0) | (isalpha(c) ? 1024 : 0) |
                             (isdigit(c) ? 2048 : 0) | (isxdigit(c) ? 4096 : 0) | (isspace(c) ? 8192 : 0) |
                             (isprint(c) ? 16384 : 0) | (isgraph(c) ? 32768 : 0) | (isblank(c) ? 1 : 0) |
                             (iscntrl(c) ? 2 : 0) | (ispunct(c) ? 4 : 0) | (isalnum(c) ? 8 : 0);
    class_start = class_table + 128;
  }
  return &class_start;
}
const int **__ctype_tolower_loc(void) {
  if (!lower_start) {
    for (int c = -128; c < 256; c++)
      lower_table[c + 128] = tolower(c);
    lower_start = lower_table + 128;
  }
  return &lower_start;
}
const int **__ctype_toupper_loc(void) {
  if (!upper_start) {
    for (int c = -128; c < 256; c++)
      upper_table[c + 128] = toupper(c);
    upper_start = upper_table + 128;
  }
  return &upper_start;
}

/* errno.h */
static int error_number;
int *__errno_location(void) { return &error_number; }
