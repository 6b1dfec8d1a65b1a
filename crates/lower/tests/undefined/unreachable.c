// Control reaches __builtin_unreachable.
// outcome: unreachable
static int name(int n)
{
    switch (n) {
    case 0: return 'a';
    case 1: return 'b';
    }
    __builtin_unreachable();
}

int main(void) { return name(0) + name(2); }
