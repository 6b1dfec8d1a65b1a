// A read of a local of a call that has returned.
// outcome: use-after-scope
static int *kept;

static void keep(int n)
{
    int local = n;
    kept = &local;
}

int main(void)
{
    keep(3);
    return *kept;
}
