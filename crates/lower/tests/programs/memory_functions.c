// Checks memcpy, memmove, memset, memcmp, memchr and their builtin spellings.
int printf(const char *, ...);
typedef __SIZE_TYPE__ size_t;
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
void *memchr(const void *, int, size_t);

struct s { char c; int n; short h[2]; int *p; };
static int sign(int n) { return n < 0 ? -1 : n > 0; }

int main(void)
{
    char a[] = "0123456789", b[11];
    printf("%d\n", memcpy(b, a, sizeof a) == b);
    printf("%s\n", b);
    memmove(a + 2, a, 6);
    printf("%s\n", a);
    memmove(b, b + 3, 5);
    printf("%s\n", b);
    memset(a + 1, 'x', 3);
    printf("%s\n", a);
    memset(a, 300, 1);
    printf("%c\n", a[0]);
    int list[4];
    memset(list, -1, sizeof list);
    printf("%d\n", list[3]);
    memset(list, 1, 6);
    printf("%x %x\n", list[0], list[1]);
    struct s s = {'c', 5, {6, 7}, list}, t;
    memset(&t, 0, sizeof t);
    printf("%d %d\n", t.n, t.p == 0);
    memcpy(&t, &s, sizeof s);
    printf("%c %d %d %x\n", t.c, t.n, t.h[1], *t.p);
    __builtin_memset(&t.h, 0x11, sizeof t.h);
    printf("%x %d\n", t.h[0], t.n);
    memcpy(&s.h[1], &t.h[0], sizeof(short));
    printf("%x %d\n", s.h[1], s.h[0]);
    unsigned char x[] = {1, 2, 200}, y[] = {1, 2, 100};
    printf("%d %d %d\n", sign(memcmp(x, y, 3)), memcmp(x, y, 2), memcmp(x, y, 0));
    printf("%d %d\n", (int)((unsigned char *)memchr(x, 200, 3) - x), memchr(x, 7, 3) == 0);
    long long wide = 0x0102030405060708LL;
    int low;
    __builtin_memcpy(&low, (char *)&wide + 2, 4);
    printf("%x\n", low);
    for (int n = 0; n < 4; n++)
        memcpy(b + n * 2, "ABCDEFG" + n, n);
    printf("%s\n", b);
    memcpy(b, a, 0), memset(b, 0, 0);
    return b[0] == a[0];
}
