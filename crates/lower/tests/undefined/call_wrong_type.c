// A call of a function with other parameters than it has.
// outcome: unsupported
struct pair { long long a, b; };

static int sum(struct pair p) { return (int)(p.a + p.b); }

int main(void)
{
    double (*f)(double) = (double (*)(double))sum;
    return (int)f(1.5);
}
