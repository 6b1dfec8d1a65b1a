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
extern void __hardbop_leave(int status);
extern void __hardbop_set_errno(int number);
extern void __hardbop_unknown_errno(const char *function);
extern void __hardbop_unknown_int(int *p, const char *function);
extern void __hardbop_unsupported(const char *what);
extern int __hardbop_rounding(int mode);
extern void __hardbop_maybe_unsupported(const char *what);
extern float __hardbop_fmodf(float x, float y);
extern double __hardbop_fmod(double x, double y);
extern long double __hardbop_fmodl(long double x, long double y);
extern float __fmaxf_finite(float x, float y), __fminf_finite(float x, float y);
extern double __fmax_finite(double x, double y), __fmin_finite(double x, double y);
extern long double __fmaxl_finite(long double x, long double y), __fminl_finite(long double x, long double y);
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
void exit(int status) { __hardbop_leave(status); }
void _exit(int status) { __hardbop_exit(status); }
void _Exit(int status) { __hardbop_exit(status); }

/* errno.h: one object, whatever it is called. Functions set it by __hardbop_set_errno, which is nothing in
   programs that do not look. ENOMEM is 12, EINVAL 22, EDOM 33, ERANGE 34. */
int __hardbop_errno;
extern int errno __attribute__((weak, alias("__hardbop_errno")));
int *__errno_location(void) { return &__hardbop_errno; }
int *__errno(void) { return &__hardbop_errno; }
int *___errno(void) { return &__hardbop_errno; }

/* stdio.h: streams are objects outside of the program. */
static struct stream { char contents[256]; } streams[3];
struct stream *stdin = &streams[0], *stdout = &streams[1], *stderr = &streams[2];

/* Functions that run at exit, the last one first. */
struct at_exit {
  struct at_exit *next;
  void (*plain)(void);
  void (*with_status)(int, void *);
  void *argument;
};
static struct at_exit *exit_functions, *quick_exit_functions;
static struct at_exit *at_exit(struct at_exit **list) {
  struct at_exit *new = __hardbop_new(sizeof *new);
  new->next = *list;
  new->plain = 0;
  new->with_status = 0;
  new->argument = 0;
  *list = new;
  return new;
}
int atexit(void (*function)(void)) {
  at_exit(&exit_functions)->plain = function;
  return 0;
}
int on_exit(void (*function)(int, void *), void *argument) {
  struct at_exit *new = at_exit(&exit_functions);
  new->with_status = function;
  new->argument = argument;
  return 0;
}
int at_quick_exit(void (*function)(void)) {
  at_exit(&quick_exit_functions)->plain = function;
  return 0;
}
static void run_all(struct at_exit **list, int status) {
  while (*list) {
    struct at_exit *one = *list;
    *list = one->next;
    if (one->plain)
      one->plain();
    else
      one->with_status(status, one->argument);
  }
}
void __hardbop_at_exit(int status) { run_all(&exit_functions, status); }
void quick_exit(int status) {
  run_all(&quick_exit_functions, status);
  __hardbop_exit(status);
}
void err(int status, const char *format, ...) { __hardbop_leave(status); }
void errx(int status, const char *format, ...) { __hardbop_leave(status); }
void error(int status, int number, const char *format, ...) {
  if (status)
    __hardbop_leave(status);
}

/* signal.h: handlers run when the program raises a signal. That others may arrive is not modelled. */
typedef void (*signal_handler)(int);
static signal_handler signal_handlers[65];
signal_handler signal(int number, signal_handler handler) {
  if (number < 1 || number > 64 || number == 9 || number == 19) {
    __hardbop_set_errno(22);
    return (signal_handler)-1;
  }
  signal_handler old = signal_handlers[number];
  signal_handlers[number] = handler;
  if ((size_t)handler > 1)
    __hardbop_maybe_unsupported("a handler of `signal` that runs at any time");
  return old;
}
signal_handler bsd_signal(int number, signal_handler handler) { return signal(number, handler); }
int raise(int number) {
  if (number < 1 || number > 64) {
    if (number) {
      __hardbop_set_errno(22);
      return -1;
    }
    return 0;
  }
  signal_handler handler = signal_handlers[number];
  if ((size_t)handler == 0) {
    if (number == 19 || (number >= 20 && number <= 22))
      __hardbop_unsupported("a call of `raise` that stops the program");
    if (number != 17 && number != 18 && number != 23 && number != 28)
      __hardbop_abort();
  } else if ((size_t)handler != 1)
    handler(number);
  return 0;
}

/* Functions that are called once. */
int pthread_once(int *control, void (*function)(void)) {
  if (!*control) {
    *control = 2;
    function();
  }
  return 0;
}
void call_once(int *control, void (*function)(void)) {
  if (!*control) {
    *control = 2;
    function();
  }
}

/* Searching and sorting, with glibc's order of comparisons: a merge sort, which is stable. */
typedef int (*comparison)(const void *, const void *);
typedef int (*comparison_with)(const void *, const void *, void *);
static int compared(const void *a, const void *b, comparison compare, comparison_with with, void *argument) {
  return compare ? compare(a, b) : with(a, b, argument);
}
static void merge_sort(char *base, size_t n, size_t size, char *room, comparison compare,
                       comparison_with with, void *argument) {
  if (n <= 1)
    return;
  size_t left = n / 2, right = n - left;
  char *a = base, *b = base + left * size, *to = room;
  merge_sort(a, left, size, room, compare, with, argument);
  merge_sort(b, right, size, room, compare, with, argument);
  while (left > 0 && right > 0) {
    if (compared(a, b, compare, with, argument) <= 0) {
      __hardbop_copy(to, a, size);
      a += size;
      left--;
    } else {
      __hardbop_copy(to, b, size);
      b += size;
      right--;
    }
    to += size;
  }
  if (left > 0)
    __hardbop_copy(to, a, left * size);
  __hardbop_copy(base, room, (n - right) * size);
}
void qsort(void *base, size_t n, size_t size, comparison compare) {
  if (n > 1)
    merge_sort(base, n, size, __hardbop_new(n * size), compare, 0, 0);
}
void qsort_r(void *base, size_t n, size_t size, comparison_with compare, void *argument) {
  if (n > 1)
    merge_sort(base, n, size, __hardbop_new(n * size), 0, compare, argument);
}
void *bsearch(const void *key, const void *base, size_t n, size_t size, comparison compare) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const char *p = (const char *)base + middle * size;
    int order = compare(key, p);
    if (order < 0)
      high = middle;
    else if (order > 0)
      low = middle + 1;
    else
      return (void *)p;
  }
  return 0;
}
void *lfind(const void *key, const void *base, size_t *n, size_t size, comparison compare) {
  const char *p = base;
  for (size_t i = 0; i < *n; i++, p += size)
    if (compare(key, p) == 0)
      return (void *)p;
  return 0;
}
void *lsearch(const void *key, void *base, size_t *n, size_t size, comparison compare) {
  void *found = lfind(key, base, n, size, compare);
  if (!found) {
    found = __hardbop_copy((char *)base + *n * size, key, size);
    ++*n;
  }
  return found;
}

/* fenv.h: 0 is to nearest, 0x400 down, 0x800 up, 0xc00 towards zero. __hardbop_rounding is its argument in programs
   that mention fesetround, and 0 in others. The operators of this library round to nearest in any mode; those of
   such a program are made calls of __hardbop_sum and its kin, or stop unless the mode is to nearest. */
static int rounding_mode;
int fegetround(void) { return __hardbop_rounding(rounding_mode); }
int fesetround(int mode) {
  if (mode & ~0xc00)
    return 1;
  rounding_mode = mode;
  return 0;
}
void __hardbop_nearest_only(void) {
  if (__hardbop_rounding(rounding_mode))
    __hardbop_unsupported("arithmetic that rounds in another mode than to nearest");
}

/* stdlib.h */
void *malloc(size_t size) { return __hardbop_malloc(size); }
void free(void *p) { __hardbop_free(p); }
void *calloc(size_t n, size_t size) {
  if (size != 0 && n > (size_t)-1 / size) {
    __hardbop_set_errno(12);
    return 0;
  }
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
  if (size != 0 && n > (size_t)-1 / size) {
    __hardbop_set_errno(12);
    return 0;
  }
  return realloc(old, n * size);
}
int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }
static int space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static int digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z')
    return c - 'A' + 10;
  return 99;
}
/* The magnitude of a number at s, at most limit, and where it ends. Of a number that does not fit, the sign may
   still make a difference: those below zero may be one larger in size. */
static const char *number(const char *s, int base, int binary, int *minus, unsigned long long limit,
                          unsigned long long *value, int *large) {
  const char *start = s;
  int any = 0;
  *large = 0;
  while (space(*s))
    s++;
  *minus = *s == '-';
  if (*s == '-' || *s == '+')
    s++;
  if ((base == 0 || base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && digit(s[2]) < 16)
    s += 2, base = 16;
  else if (binary && (base == 0 || base == 2) && s[0] == '0' && (s[1] == 'b' || s[1] == 'B') && digit(s[2]) < 2)
    s += 2, base = 2;
  else if (base == 0)
    base = *s == '0' ? 8 : 10;
  *value = 0;
  for (; digit(*s) < base; s++, any = 1) {
    unsigned d = digit(*s);
    *large = *large || *value > (limit - d) / base;
    *value = *large ? limit : *value * base + d;
  }
  if (*large)
    __hardbop_set_errno(34);
  return any ? s : start;
}
static int is_base(int base) {
  if (base >= 0 && base != 1 && base <= 36)
    return 1;
  __hardbop_set_errno(22);
  return 0;
}
static long long signed_number(const char *s, char **end, int base, int binary, unsigned long long most) {
  int minus, large;
  unsigned long long value;
  if (!is_base(base))
    return 0;
  const char *rest = number(s, base, binary, &minus, most + 1, &value, &large);
  if (end)
    *end = (char *)rest;
  if (!minus && value > most) {
    __hardbop_set_errno(34);
    return most;
  }
  return minus ? -value : value;
}
static unsigned long long unsigned_number(const char *s, char **end, int base, int binary,
                                          unsigned long long most) {
  int minus, large;
  unsigned long long value;
  if (!is_base(base))
    return 0;
  const char *rest = number(s, base, binary, &minus, most, &value, &large);
  if (end)
    *end = (char *)rest;
  return minus && !large ? -value : value;
}
long long strtoll(const char *s, char **end, int base) {
  return signed_number(s, end, base, 0, ~0ull >> 1);
}
unsigned long long strtoull(const char *s, char **end, int base) {
  return unsigned_number(s, end, base, 0, ~0ull);
}
long strtol(const char *s, char **end, int base) {
  return signed_number(s, end, base, 0, ~0ul >> 1);
}
unsigned long strtoul(const char *s, char **end, int base) {
  return unsigned_number(s, end, base, 0, ~0ul);
}
long long __isoc23_strtoll(const char *s, char **end, int base) {
  return signed_number(s, end, base, 1, ~0ull >> 1);
}
unsigned long long __isoc23_strtoull(const char *s, char **end, int base) {
  return unsigned_number(s, end, base, 1, ~0ull);
}
long __isoc23_strtol(const char *s, char **end, int base) {
  return signed_number(s, end, base, 1, ~0ul >> 1);
}
unsigned long __isoc23_strtoul(const char *s, char **end, int base) {
  return unsigned_number(s, end, base, 1, ~0ul);
}
long long atoll(const char *s) { return strtoll(s, 0, 10); }
long atol(const char *s) { return strtol(s, 0, 10); }
int atoi(const char *s) { return (int)strtol(s, 0, 10); }

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

/* What -D_FORTIFY_SOURCE makes of some functions. That a buffer is too small ends the run. */
void *__memcpy_chk(void *to, const void *from, size_t n, size_t room) {
  if (n > room)
    __hardbop_abort();
  return __hardbop_copy(to, from, n);
}
void *__memmove_chk(void *to, const void *from, size_t n, size_t room) {
  if (n > room)
    __hardbop_abort();
  return __hardbop_copy(to, from, n);
}
void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room) {
  if (n > room)
    __hardbop_abort();
  return mempcpy(to, from, n);
}
void *__memset_chk(void *to, int byte, size_t n, size_t room) {
  if (n > room)
    __hardbop_abort();
  return __hardbop_fill(to, byte, n);
}
char *__strcpy_chk(char *to, const char *from, size_t room) {
  if (strlen(from) >= room)
    __hardbop_abort();
  return strcpy(to, from);
}
char *__stpcpy_chk(char *to, const char *from, size_t room) {
  if (strlen(from) >= room)
    __hardbop_abort();
  return stpcpy(to, from);
}
char *__strncpy_chk(char *to, const char *from, size_t n, size_t room) {
  if (n > room)
    __hardbop_abort();
  return strncpy(to, from, n);
}
char *__strcat_chk(char *to, const char *from, size_t room) {
  if (strlen(to) + strlen(from) >= room)
    __hardbop_abort();
  return strcat(to, from);
}
char *__strncat_chk(char *to, const char *from, size_t n, size_t room) {
  if (strlen(to) + strnlen(from, n) >= room)
    __hardbop_abort();
  return strncat(to, from, n);
}

/* The next number away from zero, or towards it: of infinity the largest one, and from zero the smallest one. */
static double next_step(double x, int away) {
  union { double number; unsigned long long bits; } next;
  next.number = x;
  if (away)
    next.bits++;
  else
    next.bits--;
  return next.number;
}
static float next_stepf(float x, int away) {
  union { float number; unsigned bits; } next;
  next.number = x;
  if (away)
    next.bits++;
  else
    next.bits--;
  return next.number;
}
static long double next_stepl(long double x, int away) {
  union {
    long double number;
    struct { unsigned long long mantissa; unsigned short exponent; } parts;
  } next;
  next.number = x;
  if (away) {
    if (++next.parts.mantissa == 0 || (next.parts.mantissa == 1ull << 63 && !(next.parts.exponent & 0x7fff))) {
      next.parts.mantissa = 1ull << 63;
      next.parts.exponent++;
    }
  } else {
    if (--next.parts.mantissa < 1ull << 63 && next.parts.exponent & 0x7fff) {
      next.parts.exponent--;
      if (next.parts.exponent & 0x7fff)
        next.parts.mantissa |= 1ull << 63;
    }
  }
  return next.number;
}
