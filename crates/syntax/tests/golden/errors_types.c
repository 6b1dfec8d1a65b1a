struct s { int x; } s;
int a = s;
int *p = &3;
int f(int x) { return x.y + undeclared + f(1, 2) + s.missing; }
void g(void) { break; continue; goto nowhere; case 1: ; int a; int a; }
int f(long x);
int h(void) { switch (1) { case 1: case 1: ; } return *a; }
int b[-1];
struct incomplete i;
