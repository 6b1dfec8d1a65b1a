/* Pointers of which some bytes are replaced. */
typedef __SIZE_TYPE__ word;
extern void *memcpy(void *, const void *, word);
extern void *memset(void *, int, word);
extern int __VERIFIER_nondet_int(void);

_Alignas(256) char page[256];
_Alignas(256) struct pair { int first, second; } pairs[32];

int main(void) {
  char *p = page;
  *(unsigned char *)&p = 9;
  *p = 1;
  char *q = page + 3;
  memset(&q, 17, 1);
  *q = 2;
  int *r = &pairs[0].first, n = __VERIFIER_nondet_int() & 1;
  unsigned char low = 12;
  memcpy(&r, &low, n);
  *r = 3;
  char *from = page + 33, *to = page;
  memcpy(&to, &from, 1);
  *to = 4;
  struct { unsigned char low; } part = {44};
  char *s = page;
  *(__typeof__(part) *)&s = part;
  *s = 5;
  return page[9] + page[17] + pairs[1].second + page[33] + page[44];
}
