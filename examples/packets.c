/* The loop of a driver that takes requests from a list, after an example of the Windows driver kit that the
   first publications about SLAM made known. The spin lock must be taken and given back in turn: acquire() and
   release() watch that. */
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int locked;
static void acquire(void) {
  if (locked)
    reach_error();
  locked = 1;
}
static void release(void) {
  if (!locked)
    reach_error();
  locked = 0;
}

struct request {
  struct request *next;
  int status;
};

static struct request *head;
static unsigned packets;

/* Somebody adds to the list, at any time. */
static struct request *get_list_head(void) {
  static struct request first;
  return __VERIFIER_nondet_int() ? &first : 0;
}

static void start_io(struct request *request) {
  request->status = __VERIFIER_nondet_int();
}

static void dispatch(void) {
  unsigned packets_old;
  do {
    acquire();
    packets_old = packets;
    head = get_list_head();
    if (head && head->status >= 0) {
      struct request *request = head;
      head = head->next;
      release();
      start_io(request);
      if (request->status > 0)
        packets++;
    }
  } while (packets != packets_old);
  release();
}

int main(void) {
  dispatch();
  return 0;
}
