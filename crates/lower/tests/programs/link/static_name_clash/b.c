static long long counter_unused;
static int counter = 100;
static int step(void) { static int calls; calls++; return counter += 100 * calls; }
static struct s { char c[2]; } record = {"x"};
enum { SIZE = 9 };
static char list[SIZE];

int other(void) { return step() + record.c[0] - 'x' + (int)sizeof list - SIZE; }
int *other_address(void) { return &counter; }
