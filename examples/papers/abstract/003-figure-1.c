// "Boolean and Cartesian abstraction", Fig. 1: the assertion is not reached, in whatever state foo is called.
#include <assert.h>

extern int any(void);

int x, y, z, w;

void foo(void)
{
    do {
        z = 0;
        x = y;
        if (w) {
            x++;
            z = 1;
        }
    } while (x != y);
    if (z) {
        assert(0);
    }
}

int main(void)
{
    x = any(), y = any(), z = any(), w = any();
    foo();
    return 0;
}
