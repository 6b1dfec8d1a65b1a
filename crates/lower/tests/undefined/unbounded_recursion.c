// Calls that never return.
// outcome: stack-overflow
static int depth;

static int deeper(int n)
{
    int list[64] = {n};
    depth++;
    return deeper(list[0] + 1) + list[1];
}

int main(void) { return deeper(0); }
