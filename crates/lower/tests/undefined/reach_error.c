// The error function is called.
// outcome: error
void reach_error(void) { }

static void check(int ok)
{
    if (!ok) {
    failed:
        reach_error();
    }
}

int main(void)
{
    check(2 > 1);
    check(1 > 2);
    return 0;
}
