int hook(int n) { return n * 100; }
int level = 2;
int optional(void) { return 8; }
int call_hook(int n) { return hook(n) + 1; }
