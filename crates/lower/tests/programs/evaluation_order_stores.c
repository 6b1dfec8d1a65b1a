// Checks when the target of an assignment is found: between the arguments of a call and the call,
// and before a value that has no effects if something is computed with the old value.
int printf(const char *, ...);

static int g, trace, list[10];
static int f(int n) { trace = trace * 10 + n; g += n; return n; }
static int *at(int n) { trace = trace * 10 + n; g += n; return &list[n]; }
static signed char narrow(int n) { return f(n); }
struct pair { int a, b; } pairs[4];
static struct pair make(int n) { f(n); return (struct pair){n, n}; }
static struct pair *pair(int n) { f(n); return &pairs[n]; }

#define SHOW(e) do { g = 1; trace = 0; for (int i = 0; i < 10; i++) list[i] = i; (void)(e); \
    printf("%d %d:", g, trace); for (int i = 0; i < 10; i++) printf(" %d", list[i]); printf("\n"); } while (0)

int main(void)
{
    SHOW(*at(2) = f(f(3)));
    SHOW(*at(2) = f(g));
    SHOW(list[g] = f(f(3)));
    SHOW(list[g] = f(3) + 1);
    SHOW(list[g] = narrow(3));
    SHOW(*at(2) = (signed char)f(3));
    SHOW(*pair(2) = make(f(1)));
    SHOW(*at(2) += g);
    SHOW(*at(2) -= g * 2);
    SHOW(*at(2) += f(3));
    SHOW(list[f(4)] |= list[g]);
    SHOW(g = (*at(3) ^= g));
    return 0;
}
