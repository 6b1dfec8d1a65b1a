/* Runs a program on all inputs of a small range, each in a process of its own, and tells what it observes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int values[8], count, used;
static char said[1 << 14];
static int length, told;

int hunt_main(void);

int __VERIFIER_nondet_int(void) { return used < count ? values[used++] : 7654321; }

void reach_error(void) { _exit(77); }

void oracle_check(int point, long long value) {
  if (length > (int)sizeof said - 64)
    return;
  length += sprintf(said + length, "v %d %lld\n", point, value);
}

static void tell(void) {
  if (told++ == 0 && write(1, said, length) != length)
    _exit(78);
}

int main(int argc, char **argv) {
  int range = atoi(argv[2]), total = 1;
  count = atoi(argv[1]);
  (void)argc;
  for (int i = 0; i < count; i++)
    total *= range;
  for (int n = 0; n < total; n++) {
    int rest = n, status = 0;
    for (int i = 0; i < count; i++) {
      values[i] = rest % range;
      rest /= range;
    }
    printf("run %d\n", n);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      alarm(5);
      atexit(tell);
      exit(hunt_main() & 0);
    }
    waitpid(child, &status, 0);
    printf("end %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status));
    fflush(stdout);
  }
  return 0;
}
