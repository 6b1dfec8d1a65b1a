// Checks that operands are evaluated from left to right and where gcc reads variables late.
int printf(const char *, ...);

static int trace, global, list[4] = {1, 2, 3, 4};
static int f(int n) { trace = trace * 10 + n; return n; }
static int change(int n) { global = n; return 1; }
static int same(int n) { return global = n; }
static int *p(int n) { trace = trace * 10 + n; return &list[n & 3]; }

#define TRACE(e) do { trace = 0; int r = (e); printf("%d %d\n", r, trace); } while (0)
#define GLOBAL(e) do { global = 5; int r = (e); printf("%d %d\n", r, global); } while (0)

int main(void)
{
    TRACE(f(1) + f(2));
    TRACE(f(1) - f(2) * f(3));
    TRACE((f(1) + f(2)) * (f(3) - f(4)));
    TRACE(f(1) < f(2));
    TRACE(f(1) << f(2) | f(3));
    TRACE(f(9) / f(2) % f(4));
    TRACE(*p(1) + *p(2));
    TRACE((int)(p(3) - p(1)));
    TRACE(list[f(1)] + list[f(2)]);
    TRACE(p(1)[f(2)]);
    TRACE(f(2)[p(1)]);
    TRACE(*(p(1) + f(1)));
    TRACE(f(1) == f(2) || f(3) > f(4));
    TRACE((f(1) ? f(2) : f(3)) + f(4));
    GLOBAL(change(7) + global);
    GLOBAL(change(7) - global);
    GLOBAL(global + change(7));
    GLOBAL(global - change(7));
    GLOBAL(global * change(7));
    GLOBAL(global < same(6));
    GLOBAL(global > same(4));
    GLOBAL(global >= same(6));
    GLOBAL(global <= same(4));
    GLOBAL(global == same(7));
    GLOBAL(global != same(7));
    GLOBAL(global & same(2));
    GLOBAL(global | same(2));
    GLOBAL(global ^ same(2));
    GLOBAL(global % same(3));
    GLOBAL(global && same(0));
    GLOBAL(global << change(7));
    GLOBAL(global / change(7));
    GLOBAL((global + 0) + change(7));
    GLOBAL((long long)global + change(7));
    GLOBAL(-global + change(7));
    GLOBAL(global * 2 + change(7));
    global = 5;
    global = global + change(9);
    printf("%d\n", global);
    global = 5;
    global += change(9);
    printf("%d\n", global);
    global = 5;
    list[1] = 50;
    printf("%d\n", list[global - 4] + change(1) + list[global]);
    return 0;
}
