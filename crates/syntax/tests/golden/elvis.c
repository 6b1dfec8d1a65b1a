int f(int);
char *g(void);
struct s { unsigned bits : 3; } s;
void elvis(int x, char *p, unsigned char c, _Bool b, double d)
{
    x = x ?: 3;
    long l = x ?: 3L;
    p = p ?: "none";
    void *v = p ?: (void *) 0;
    x = f(x) ?: f(2);
    x = (x < 3) ?: 4;
    x = c ?: 1;
    x = b ?: 1;
    d = d ?: x;
    x = s.bits ?: 7;
    x = f(1) ?: f(2) ?: f(3);
    p = g() ?: p ?: "end";
    x = (x++, x) ?: 1;
    x = x ? x : 3;
    x = -x ?: ({ x; });
}
