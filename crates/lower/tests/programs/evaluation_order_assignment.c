// Checks gcc's order in assignments: the place first if the right side is directly a call.
int printf(const char *, ...);

static int trace, list[10];
static int f(int n) { trace = trace * 10 + n; return n; }
static int *p(int n) { trace = trace * 10 + n; return &list[n]; }
struct s { int a, b; struct s *link; unsigned bits : 9; };
static struct s object, *chain = &object;
static struct s *q(int n) { trace = trace * 10 + n; return &object; }
static struct s make(int n) { trace = trace * 10 + n; return (struct s){n, n}; }

#define TRACE(e) do { trace = 0; e; printf("%d\n", trace); } while (0)

int main(void)
{
    int x;
    TRACE(*p(1) = f(2));
    TRACE(*p(1) = f(2) + 0);
    TRACE(*p(1) = f(2) + f(3));
    TRACE(list[f(1)] = f(2));
    TRACE(list[f(1)] = f(2) + 1);
    TRACE(list[f(1)] = -f(2));
    TRACE(list[f(1)] = *p(2));
    TRACE(q(1)->a = f(2));
    TRACE(q(1)->a = f(2) * 2);
    TRACE(q(1)->bits = f(2));
    TRACE(q(1)->bits = f(2) + 1);
    TRACE(*q(1) = make(2));
    TRACE(*q(1) = *q(2));
    TRACE(*p(1) = (f(2)));
    TRACE(*p(1) = (long long)f(2));
    TRACE(*p(1) = (f(2), f(3)));
    TRACE(*p(1) = f(2) ? f(3) : f(4));
    TRACE(*p(1) = x = f(2));
    TRACE(*p(1) = *p(2) = f(3));
    TRACE(*p(1) = *p(2) = *p(3));
    TRACE(*(char *)p(1) = f(2));
    TRACE(*p(1) += f(2));
    TRACE(*p(1) += f(2) + f(3));
    TRACE(list[f(1)] <<= f(2));
    TRACE(q(1)->a -= q(2)->b);
    TRACE(q(1)->bits |= f(2));
    TRACE((*p(1))++);
    TRACE(--list[f(3)]);
    TRACE(*p(1) = f(2) && f(3));
    TRACE(*p(1) = !f(2));
    return 0;
}
