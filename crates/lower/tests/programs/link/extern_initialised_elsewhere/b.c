struct node { int n; struct node *next; };
extern struct node first;
extern int (*mine)(int, int);
extern int plain = 41;
const double ratio = 0.25;
struct node second = {2, &first};
static int subtract(int a, int b) { return a - b; }
int (*operation)(int, int) = subtract;

int read_mine(void) { return mine(plain, first.n) + *(&plain); }
