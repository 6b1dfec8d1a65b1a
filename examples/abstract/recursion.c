// A walk through a tree of unknown depth. It is entered and left with the lock, which it gives back in
// between, and it finds something at least. With BUG, the lock is kept after a leaf.
extern void reach_error(void);
extern int nondet(void);

static int locked;

static int walk(int level)
{
    int found = 0;
    if (!locked)
        reach_error();
    if (level <= 0)
        return 1;
    locked = 0;
    while (nondet()) {
        locked = 1;
        found = walk(level - 1);
        if (found < 1)
            reach_error();
#ifdef BUG
        if (found > 1)
#endif
        locked = 0;
    }
    if (locked)
        reach_error();
    locked = 1;
    return found < 100 ? found + 1 : found;
}

int main(void)
{
    locked = 1;
    int found = walk(nondet());
    if (!locked || found < 1)
        reach_error();
    return 0;
}
