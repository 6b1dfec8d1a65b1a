int g(void);
void one(int n)
{
    int a[n], b[n + 1][3], c[2][g()];
    int (*p)[n] = (int (*)[n]) a;
    typedef char name[n];
    name x, y;
    n = sizeof a + sizeof b + sizeof b[0] + sizeof c[0] + sizeof *p + sizeof x + sizeof(int[n]);
    p++;
    a[1] = c[1][2];
}
int parameter(int n, int a[n][n], int b[*]);
int parameter(int n, int a[n][n], int b[n]) { return a[1][2] + sizeof a[0]; }
void record(int n) { struct { int a[n]; int b; } s; s.b = 1; }
