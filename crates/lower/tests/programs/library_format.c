// What sprintf and its kin write, compared with glibc.
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
static char b[128];
static int vn(size_t n, const char *unused, ...) {
  va_list list;
  va_start(list, unused);
  int r = vsnprintf(b, n, "%s=%-6d|%lu", list);
  va_end(list);
  return r;
}
static void show(int r) { puts(b); printf("%d\n", r); memset(b, '~', sizeof b - 1); }
#define T(...) show(sprintf(b, __VA_ARGS__))
int main(void) {
  memset(b, '~', sizeof b - 1);
  T("plain %% text");
  T("%d %i %u", -1, INT_MIN, -1);
  T("[%5d][%-5d][%05d][%+d][% d][%+5d][%-+5d]", 42, 42, 42, 42, 42, 42, 42);
  T("[%5d][%-5d][%05d][%+d][% d]", -42, -42, -42, -42, -42);
  T("[%.3d][%8.3d][%-8.3d][%08.3d][%.0d][%+.0d][%5.0d]", 7, 7, 7, 7, 0, 0, 0);
  T("[%x][%X][%#x][%#X][%#x][%#010x][%10x][%-10x][%.5x]", 0xbeef, 0xbeef, 0xbeef, 0xbeef, 0, 0xbeef, 1, 2, 3);
  T("[%o][%#o][%#o][%#.0o][%.0o][%#.4o][%#05o][%#5o]", 8, 8, 0, 0, 0, 8, 8, 8);
  T("%hhd %hhu %hd %hu", 300, 300, 70000, 70000);
  T("%ld %lu %lx", LONG_MIN, ULONG_MAX, 255L);
  T("%lld %llu %jd %ju", LLONG_MIN, ULLONG_MAX, INTMAX_MAX, UINTMAX_MAX);
  T("%zu %zx %td", sizeof b, (size_t)-1, (ptrdiff_t)-3);
  T("[%s][%10s][%-10s][%.2s][%10.2s][%-10.2s][%.0s]", "abc", "abc", "abc", "abc", "abc", "abc", "abc");
  T("[%s][%.3s][%10s]", (char *)0, (char *)0, (char *)0);
  T("[%c][%3c][%-3c]", 'x', 'y', 'z');
  T("[%*d][%-*d][%*d][%.*d][%.*d][%*.*s]", 6, 1, 6, 2, -6, 3, 3, 4, -3, 5, 6, 2, "hello");
  T("%c%c", 65, 321);
  show(snprintf(b, 5, "%s", "truncated"));
  show(snprintf(b, 1, "%d", 12345));
  show(snprintf(b, 0, "%d", 12345));
  show(snprintf(b, sizeof b, "%s-%d", "name", 3));
  printf("%d\n", snprintf(0, 0, "%s %d", "only the length", 7));
  show(vn(sizeof b, "", "key", 12, 34ul));
  show(vn(8, "", "key", 12, 34ul));
  return 0;
}
