static int depth;
static int even(int *p, int n);
static int odd(int *p, int n) { int mine = n; return n == 0 ? 0 : even(&mine, n - 1); }
static int even(int *p, int n) { depth++; *p = n; return n == 0 ? 1 : odd(p, n - 1); }
int main(void) { int start; return even(&start, 6); }
