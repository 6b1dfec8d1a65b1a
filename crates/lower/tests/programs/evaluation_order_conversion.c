// Checks that a variable which folding moves behind a call is read after the call.
int printf(const char *, ...);

static int g;
static unsigned u;
static int change(int n) { g = u = n; return 1; }
static unsigned unsigned_change(int n) { return change(n); }

#define SHOW(e) do { g = u = 5; printf("%d\n", (int)(e)); } while (0)

int main(void)
{
    SHOW(g + unsigned_change(7));
    SHOW(u + change(7));
    SHOW((unsigned)g < unsigned_change(7));
    SHOW(g + 1 + change(7));
    SHOW(g - 1 + change(7));
    SHOW(3 - g + change(7));
    SHOW(~g + change(7));
    SHOW((g ^ 1) ^ change(7));
    SHOW((g * 3) * change(7));
    SHOW((g & 7) | change(7));
    SHOW(g * 2 + change(7));
    SHOW(g + -change(7));
    SHOW(g - change(7));
    return 0;
}
