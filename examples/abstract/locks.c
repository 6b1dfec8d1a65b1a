// A driver takes packets from a queue. It holds the lock while it looks at the queue, gives it back
// before it processes a packet, and starts again if it processed one. With BUG it counts too late.
extern void reach_error(void);
extern int nondet(void);

static int locked;
static int packets;

static void acquire(void)
{
    if (locked)
        reach_error();
    locked = 1;
}

static void release(void)
{
    if (!locked)
        reach_error();
    locked = 0;
}

static int next_request(void)
{
    return nondet();
}

static void serve(void)
{
    int before, request;
    do {
        acquire();
        before = packets;
        request = next_request();
        if (request) {
            release();
#ifndef BUG
            packets++;
#endif
        }
    } while (packets != before);
    release();
}

int main(void)
{
    while (nondet())
        serve();
    return 0;
}
