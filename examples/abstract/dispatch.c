// A driver with a table of dispatch routines. Each request must be completed exactly once, and its
// status must be set before. With BUG, a read of no bytes is completed twice.
#include <stddef.h>

extern void reach_error(void);
extern int nondet(void);

enum { SUCCESS = 0, PENDING = 0x103, INVALID = -1 };
enum { CREATE, READ, CLOSE, KINDS };

struct request {
    int kind;
    int status;
    unsigned length;
};

typedef int (*routine)(struct request *);

static int completed;
static int queued;

static void complete(struct request *r)
{
    if (completed || r->status == PENDING)
        reach_error();
    completed = 1;
}

static int create(struct request *r)
{
    r->status = SUCCESS;
    complete(r);
    return SUCCESS;
}

static int transfer(struct request *r)
{
    if (r->length == 0) {
        r->status = INVALID;
        complete(r);
#ifndef BUG
        return INVALID;
#endif
    }
    if (r->length > 4096) {
        queued = 1;
        return PENDING;
    }
    r->status = SUCCESS;
    complete(r);
    return SUCCESS;
}

static const routine table[KINDS] = { create, transfer, create };

static int dispatch(struct request *r)
{
    if (r->kind < 0 || r->kind >= KINDS) {
        r->status = INVALID;
        complete(r);
        return INVALID;
    }
    return table[r->kind](r);
}

int main(void)
{
    struct request r;
    while (nondet()) {
        r.kind = nondet();
        r.status = PENDING;
        r.length = nondet();
        completed = 0;
        queued = 0;
        int status = dispatch(&r);
        if (status == PENDING) {
            if (completed || !queued)
                reach_error();
            r.status = SUCCESS;
            complete(&r);
        } else if (!completed || queued) {
            reach_error();
        }
    }
    return 0;
}
