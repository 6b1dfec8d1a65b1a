// -std=gnu89
x = 3;
f(a) { return undeclared(a); }
inline int only(void) { return 1; }
extern inline int not_here(void) { return 2; }
