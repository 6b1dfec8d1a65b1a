extern int nondet(void);
extern void reach_error(void);
static int locked;
void lock(void) { if (locked) reach_error(); locked = 1; }
void unlock(void) { if (!locked) reach_error(); locked = 0; }
int main(void)
{
    int again;
    do {
        lock();
        again = nondet();
        if (again)
            unlock();
    } while (again);
    unlock();
    return 0;
}
