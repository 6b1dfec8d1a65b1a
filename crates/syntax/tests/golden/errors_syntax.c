int a = ;
int b = 1
int c;
void f(void) { int x = (1 + ; y z; if (x { } }
struct s { int x; ;
};
int d = 3 +;
