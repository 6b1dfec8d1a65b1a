enum small { A, B, C };
enum negative { N = -1, P };
enum large { L = 0x100000000 };
struct s { enum small two : 2, all : 32; enum negative four : 4; enum large wide : 40; unsigned char plain; } s;
int a[3];
int f(int i, unsigned u, unsigned long ul, double d)
{
    i = s.two - 1 < 0;
    i = s.two > -1;
    i = -s.two / 2;
    i = +s.two / i;
    i = s.all / i;
    i = s.four / i;
    i = s.wide / i;
    i = s.two / u;
    i = s.two / ul;
    d = s.two / d;
    i = ~s.two >> 1;
    i = (s.two << 3) / i;
    i = i << s.two;
    ul = -s.two;
    i = (i ? s.two : -1) < 0;
    i = (s.two ?: -1) < 0;
    i = (0, -s.two) < 0;
    i = (0, s.two) > -1;
    i = ({ -s.two; }) < 0;
    i = (s.two = B) > -1;
    i = s.two++ > -1;
    i = a[s.two - 1] + *(a + s.two - 1) + (1 - s.two)[a];
    i /= s.two;
    i /= s.two - 3;
    s.two /= i;
    s.two = B;
    f(s.two, s.two, -s.two, s.two);
    switch (s.two - 1) { case -1: return 1; }
    if (s.two && -s.two || !s.two) return s.two;
    return (long) (s.two - 3) + (s.two == A) * s.two - s.plain;
}
