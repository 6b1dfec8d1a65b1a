// A ring buffer of 16 places. Its two counters run freely and wrap around; what counts is their difference,
// modulo 256. With BUG the difference is computed in int, and is wrong once head has wrapped.
extern void reach_error(void);
extern int nondet(void);

static unsigned char head, tail;

static unsigned fill(void)
{
#ifdef BUG
    return head - tail;
#else
    return (unsigned char)(head - tail);
#endif
}

static void put(void)
{
    if (fill() == 16)
        return;
    head++;
}

static void get(void)
{
    if (head == tail)
        return;
    tail++;
}

int main(void)
{
    while (nondet()) {
        if (nondet())
            put();
        else
            get();
        if (fill() > 16)
            reach_error();
    }
    return 0;
}
