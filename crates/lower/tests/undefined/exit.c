// The program exits with a status from inside a call.
// outcome: exited 3
void exit(int);

static int deep(int n)
{
    if (n == 3)
        exit(n);
    return deep(n + 1);
}

int main(void) { return deep(0); }
