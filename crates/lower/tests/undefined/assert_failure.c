// An assertion fails, as the assert macro expands.
// outcome: error
extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
#define assert(e) ((e) ? (void)0 : __assert_fail(#e, "assert_failure.c", __LINE__, __func__))

int main(void)
{
    int n = 1;
    assert(n == 1);
    n++;
    assert(n == 1);
    return 0;
}
