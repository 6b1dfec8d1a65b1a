// A call through the null pointer.
// outcome: bad-call
struct operations { int (*open)(int), (*close)(int); };

static int open(int n) { return n; }

int main(void)
{
    struct operations ops = {open};
    return ops.open(0) + ops.close(0);
}
