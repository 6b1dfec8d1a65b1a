//! A driver that grows: a lock, a device, requests that are completed or become pending, a dispatch
//! routine through a table, and as many handlers as the number of lines asks for.
//!
//! What `003…` §10 reports of is a driver for a serial port, of which 350 lines and 35 predicates mattered.

use std::fmt::Write;

use crate::program::Subject;

const PREAMBLE: &str = "\
extern int any(void);
extern void reach_error(void);
enum { SUCCESS = 0, PENDING = 0x103, FAILED = -1, NOT_READY = -2, INVALID = -3 };
enum { STOPPED, STARTED, PAUSED, REMOVED };
struct request {
    int kind, status, code;
    unsigned length, done, flags;
    struct request *next;
};
struct device {
    int state, errors, busy;
    unsigned limit, level;
    struct request *queued, *current;
};
static int locked, completed, pending, irql, stopping;
static struct device device;
static struct request request;

static void acquire(void)
{
    if (locked)
        reach_error();
    locked = 1;
    irql = 2;
}

static void release(void)
{
    if (!locked)
        reach_error();
    irql = 0;
    locked = 0;
}

static void complete(struct request *req)
{
    if (completed || req->status == PENDING)
        reach_error();
    completed = 1;
    req->next = 0;
}

static int transfer(struct device *dev, unsigned at)
{
    int status = any();
    if (at >= dev->limit)
        return FAILED;
    if (status == PENDING && stopping)
        return NOT_READY;
    if (status == FAILED)
        dev->errors++;
    return status;
}
";

/// Reads or writes a number of bytes.
const TRANSFER: &str = "\
    int status = SUCCESS;
    unsigned i = 0, left;
    acquire();
    if (dev->state != STARTED) {
        status = NOT_READY;
        goto out;
    }
    left = req->length;
    if (left > dev->limit) {
        req->flags |= 4u;
        left = dev->limit;
    }
    while (i < left) {
        if (dev->errors > 3) {
            status = FAILED;
            break;
        }
        status = transfer(dev, i);
        if (status == PENDING) {
            pending++;
            dev->queued = req;
            release();
            return PENDING;
        }
        i++;
    }
    req->done = i;
out:
    release();
    req->status = status;
    complete(req);
    return status;
";

/// Obeys a code.
const CONTROL: &str = "\
    int status = INVALID;
    unsigned i = 0, left = req->length;
    acquire();
    switch (req->code) {
    case 0:
        req->done = dev->level;
        status = SUCCESS;
        break;
    case 1:
        if (left == 0)
            break;
        dev->level = left;
        status = SUCCESS;
        break;
    case 2:
        while (i < left && dev->busy) {
            dev->busy = any();
            i++;
        }
        status = dev->busy ? FAILED : SUCCESS;
        break;
    default:
        dev->errors++;
    }
    release();
    req->status = status;
    complete(req);
    return status;
";

/// Changes the state of the device.
const POWER: &str = "\
    int status = SUCCESS;
    unsigned i = 0, left = 3;
    acquire();
    while (pending > 0 && i < left) {
        dev->current = dev->queued;
        dev->queued = 0;
        pending--;
        i++;
    }
    if (dev->state == STARTED && req->flags & 1) {
        dev->state = PAUSED;
    } else if (dev->state == PAUSED) {
        dev->state = STARTED;
    } else if (stopping) {
        dev->state = STOPPED;
    } else {
        status = NOT_READY;
    }
    release();
    req->status = status;
    complete(req);
    return status;
";

const BODIES: [&str; 3] = [TRANSFER, CONTROL, POWER];

/// Predicates of the whole program.
const GLOBAL: [&str; 10] = [
    "locked",
    "completed",
    "pending > 0",
    "irql == 2",
    "stopping",
    "device.state == 1",
    "request.status == 0x103",
    "device.errors > 3",
    "device.state == 2",
    "device.queued == &request",
];

/// Predicates of each handler.
const LOCAL: [&str; 10] = [
    "status == 0x103",
    "req->status == 0x103",
    "i < left",
    "return == 0x103",
    "dev->state == 1",
    "status == 0",
    "left <= dev->limit",
    "req->status == status",
    "i == 0",
    "dev->queued == req",
];

/// The predicate that comes last: it is connected with many others.
const LAST: &str = "req->status == status";

/// A driver of about so many lines, with so many predicates.
pub fn driver(lines: usize, predicates: usize) -> Subject {
    let mut text = PREAMBLE.to_owned();
    let mut handlers = 0;
    while handlers == 0 || text.lines().count() + rest(handlers).lines().count() < lines {
        let body = BODIES[handlers % BODIES.len()];
        let _ = write!(
            text,
            "\nstatic int handler{handlers}(struct device *dev, struct request *req)\n{{\n{body}}}\n"
        );
        handlers += 1;
    }
    text.push_str(&rest(handlers));
    let globals = GLOBAL.iter().map(|predicate| (None, (*predicate).to_owned()));
    let of_handlers = LOCAL.iter().flat_map(|predicate| {
        (0..handlers).map(move |n| (Some(format!("handler{n}")), (*predicate).to_owned()))
    });
    let last = (Some("handler0".to_owned()), LAST.to_owned());
    let others = globals.chain(of_handlers).filter(|predicate| *predicate != last);
    let mut predicates: Vec<_> = others.take(predicates.saturating_sub(1)).collect();
    predicates.push(last);
    Subject { text, predicates }
}

/// The table, the dispatch routine and the driver's environment.
fn rest(handlers: usize) -> String {
    let names: Vec<String> = (0..handlers).map(|n| format!("    handler{n},\n")).collect();
    format!(
        "
static int (*const table[])(struct device *, struct request *) = {{
{}}};

static int dispatch(struct request *req)
{{
    int status;
    if (req->kind < 0 || req->kind >= {handlers}) {{
        req->status = INVALID;
        complete(req);
        return INVALID;
    }}
    status = table[req->kind](&device, req);
    if (status == PENDING && completed)
        reach_error();
    if (status != PENDING && !completed)
        reach_error();
    return status;
}}

int main(void)
{{
    device.state = STARTED;
    device.limit = 4096;
    while (any()) {{
        request.kind = any();
        request.code = any();
        request.length = any();
        request.flags = any();
        request.status = PENDING;
        completed = 0;
        stopping = any();
        if (dispatch(&request) == PENDING) {{
            acquire();
            request.status = SUCCESS;
            pending--;
            release();
            complete(&request);
        }}
        if (locked || !completed)
            reach_error();
    }}
    return 0;
}}
",
        names.concat()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_large_as_asked_for() {
        for (lines, predicates) in [(350, 35), (3500, 35), (350, 70)] {
            let subject = driver(lines, predicates);
            let count = subject.text.lines().count();
            assert!((lines..lines + 40).contains(&count), "{count} instead of {lines}");
            assert_eq!(subject.predicates.len(), predicates);
        }
    }
}
