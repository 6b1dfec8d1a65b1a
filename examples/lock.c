/* A device takes writes into a buffer of 16 bytes. Its lock must be taken and given back in turn;
   acquire() and release() watch that. One way through serve() breaks the rule: which requests lead
   there? */
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern int printf(const char *format, ...);

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

static int used;
static int serve(int length) {
  int status = 0;
  acquire();
  if (length < 0) {
    status = -1;
  } else if (length > 16 - used) {
    used = 0; /* flush, which others need not wait for */
    release();
    status = 1;
  } else {
    used += length;
  }
  release();
  return status;
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    int length = __VERIFIER_nondet_int();
    printf("write %d bytes: status %d\n", length, serve(length));
  }
  return 0;
}
