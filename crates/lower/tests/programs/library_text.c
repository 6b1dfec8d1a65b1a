// More functions on strings and numbers, compared with glibc.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void at(const char *base, const void *p) { printf("%d ", p ? (int)((const char *)p - base) : -1); }
int main(void) {
  char s[] = ",a,,bc;d,", t[] = ",,", u[] = "x", *rest, *p;
  for (p = strtok(s, ",;"); p; p = strtok(0, ",;"))
    printf("%s ", p);
  printf("%d\n", strtok(0, ",") == 0);
  printf("%d ", strtok_r(t, ",", &rest) == 0);
  printf("%d\n", *rest);
  printf("%s ", strtok_r(u, ",", &rest));
  printf("%d\n", strtok_r(0, ",", &rest) == 0);
  char v[] = "a::b:";
  rest = v;
  while ((p = strsep(&rest, ":")))
    printf("[%s]", p);
  printf(" %d\n", rest == 0 && strsep(&rest, ":") == 0);
  const char *m = "abcabd";
  at(m, memmem(m, 6, "abd", 3)), at(m, memmem(m, 5, "abd", 3)), at(m, memmem(m, 6, "", 0));
  at(m, memmem(m, 0, "", 0)), at(m, memmem(m, 2, "abc", 3)), at(m, rawmemchr(m, 'd'));
  at(m, strcasestr(m, "CAB")), at(m, strcasestr(m, "")), at(m, strcasestr(m, "x"));
  puts("");
  char w[8] = "zzzzzzz";
  at(w, memccpy(w, "hello", 'l', 5)), at(w, memccpy(w + 4, "ab", 'x', 2));
  puts(w);
  memset(w, 'z', 7);
  at(w, stpncpy(w, "ab", 4)), at(w, stpncpy(w + 4, "cde", 2));
  printf("%s %s %d\n", w, w + 4, w[3]);
  div_t d = div(-7, 2);
  ldiv_t l = ldiv(7, -2);
  lldiv_t ll = lldiv(-7, -2);
  printf("%d %d %ld %ld %lld %lld\n", d.quot, d.rem, l.quot, l.rem, ll.quot, ll.rem);
  errno = 0;
  printf("%d", imaxabs(INTMAX_MIN + 1) == INTMAX_MAX);
  printf(" %d %d", strtoimax("99999999999999999999", &p, 10) == INTMAX_MAX, errno == ERANGE);
  printf(" %d\n", strtoumax("0x1fz", &p, 0) == 31 && *p == 'z');
  printf("%x %x %x %x\n", htons(0x1234), ntohs(0xff00), htonl(0x12345678), ntohl(1));
  int r = rand(), c = getchar();
  printf("%d %d\n", r >= 0 && r <= RAND_MAX, c >= -1 && c <= 255);
  return 0;
}
