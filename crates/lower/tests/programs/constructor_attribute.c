// Checks functions that run before main, by priority, and after it.
int printf(const char *, ...);

static int trace;

__attribute__((constructor)) static void plain(void) { trace = trace * 10 + 3; }
__attribute__((constructor(200))) static void second(void) { trace = trace * 10 + 2; }
__attribute__((constructor(101))) static void first(void) { trace = trace * 10 + 1; }
__attribute__((destructor)) static void last(void) { printf("after main %d\n", trace); }

int main(void)
{
    printf("main %d\n", trace);
    trace = 7;
    return 0;
}
