// Checks pointer subtraction and addition with elements of several sizes and signed offsets.
int printf(const char *, ...);

struct three { char c[3]; };
struct big { long long a[5]; char c; };

int main(void)
{
    char c[20];
    short s[20];
    struct three t[20];
    struct big b[20];
    void *v = c;
    printf("%d %d\n", (int)(&c[15] - &c[3]), (int)(&c[3] - &c[15]));
    printf("%d %d\n", (int)(&s[15] - &s[3]), (int)(&s[3] - &s[15]));
    printf("%d %d\n", (int)(&t[15] - &t[3]), (int)(&t[3] - &t[15]));
    printf("%d %d\n", (int)(&b[15] - &b[3]), (int)(&b[3] - &b[15]));
    printf("%d %d\n", (int)((char *)&b[2] - (char *)b), (int)sizeof(struct big));
    printf("%d %d\n", (int)(v + 3 - v), (int)sizeof(&c[1] - c));
    signed char minus = -2;
    unsigned char plus = 2;
    short *p = s + 10;
    printf("%d %d\n", (int)(p + minus - s), (int)(p - plus - s));
    printf("%d %d\n", (int)(&p[minus] - s), (int)(&minus[p] - s));
    p += 3;
    p -= minus;
    printf("%d\n", (int)(p - s));
    p++, ++p, p--;
    printf("%d\n", (int)(p-- - s));
    printf("%d\n", (int)(p - s));
    unsigned n = 1;
    printf("%d\n", (int)(p - n - s));
    long long wide = -5;
    printf("%d\n", (int)(p + wide - s));
    int neg = -1;
    struct three *u = &t[9];
    u += neg * 2;
    printf("%d\n", (int)(u - t));
    struct big *e = b + 20;
    int count = 0;
    while (--e >= b)
        count++;
    printf("%d\n", count);
    printf("%d %d\n", &t[4] - &t[9] < 0, &t[4] - &t[9] < (int)sizeof t);
    return 0;
}
