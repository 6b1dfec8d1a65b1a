extern int arr[]; int arr[10]; extern int brr[5]; extern int brr[]; static int crr[] ; static int crr[3];
int f(); int f(int x); int f(int x) { return x + arr[1] + sizeof arr + sizeof(brr); }
void g(void) { extern int arr[]; arr[2] = 1; extern int only[]; only[1] = 2; } int only[4];
int h(void) { extern int late; return late; } static int q; int late = 5;
struct s; extern struct s x; struct s { int a; }; int k(void) { return x.a; }
enum e f2(void); enum e { A }; enum e f2(void) { return A; }
int dup(void); int dup(void); int dup(void) { return 1; }
typedef int fn(void); fn dup;
int (*table[])(void) = { dup, h, };
int z = sizeof(struct { char c; double d; });
void *vp = &arr[3]; char *cp = (char *)&arr + 3; int diff = (int)((char*)&arr[3] - (char*)&arr[0]);
static int helper(void); int use(void) { return helper(); } static int helper(void) { return 2; }
