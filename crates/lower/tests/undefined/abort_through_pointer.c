// A function that ends the run, called through a pointer.
// outcome: aborted
extern void abort(void);
static void (*handler)(void) = abort;

int main(void)
{
    handler();
    return 0;
}
