struct s { unsigned narrow : 5; unsigned full : 32; unsigned long long forty : 40, few : 3; signed long long wide : 50; _Bool flag : 1; } s;
void f(signed char c, unsigned u, unsigned long ul, double d, _Bool b)
{
    s.narrow /= -1;
    s.narrow %= c;
    s.narrow *= u;
    s.narrow += ul;
    s.narrow -= d;
    s.narrow |= b;
    s.narrow >>= ul;
    s.full /= -1;
    s.forty /= c;
    s.forty <<= 3;
    s.forty %= ul;
    s.few /= -1;
    s.wide /= u;
    s.flag ^= 1;
    s.narrow /= (unsigned) c;
    s.narrow++;
    int i;
    long l;
    i /= s.narrow;
    i %= (0, s.few);
    l /= s.few;
    l += s.narrow;
    u /= s.narrow;
    c /= s.narrow;
    i /= ({ s.narrow; });
    i /= s.narrow = 3;
    i /= s.full;
    d /= s.narrow;
    i <<= s.narrow;
    s.narrow /= s.few;
}
