// The program aborts.
// outcome: aborted
void abort(void);

static void check(int ok)
{
    if (!ok)
        abort();
}

int main(void)
{
    check(1);
    check(0);
    return 0;
}
