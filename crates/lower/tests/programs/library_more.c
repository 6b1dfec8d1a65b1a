#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#define _XOPEN_SOURCE
#include <unistd.h>

int ffsl(long);
int ffsll(long long);
void swab(const void *, void *, ssize_t);
void explicit_bzero(void *, size_t);

static void show(const char *s, int n) {
  for (int i = 0; i < n; i++)
    printf("%d ", s[i]);
  printf("\n");
}

int main(void) {
  printf("%d %d %d %d\n", ffs(0), ffs(1), ffs(-2147483647 - 1), ffs(0x50));
  printf("%d %d %d\n", ffsl(0), ffsl(-8), ffsll(1LL << 62));
  char from[8] = "abcdefg", to[10] = "..........";
  swab(from, to, 5);
  show(to, 10);
  swab(from, to, -3);
  show(to, 10);
  swab(from, from, 8);
  show(from, 8);
  swab(from, from + 1, 6);
  show(from, 8);
  explicit_bzero(to + 2, 3);
  show(to, 10);
  char into[6] = "xxxxx";
  printf("%d ", (int)strxfrm(into, "abc", 6));
  show(into, 6);
  printf("%d ", (int)strxfrm(into, "zyxwvut", 3));
  show(into, 6);
  printf("%d\n", (int)strxfrm(0, "zyxwvut", 0));
  printf("%d\n", difftime(10, 17) == -7.0);
  printf("%d\n", difftime(sizeof(long) == 8 ? (long)0x7fffffffffffffffLL : 7, -1) > 7.5);
  return (int)difftime(45, 3);
}
