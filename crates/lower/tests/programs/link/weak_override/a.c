// Checks that an ordinary definition in another unit replaces a weak one, also for its own unit.
int printf(const char *, ...);
__attribute__((weak)) int hook(int n) { return n; }
__attribute__((weak)) int not_overridden(void) { return 3; }
__attribute__((weak)) int level = 1;
extern int optional(void) __attribute__((weak));
extern int absent(void) __attribute__((weak));
int call_hook(int n);
int (*pointer)(int) = hook;

int main(void)
{
    printf("%d %d %d\n", hook(5), call_hook(5), pointer(6));
    printf("%d %d\n", not_overridden(), level);
    printf("%d %d\n", optional ? optional() : -1, absent ? absent() : -1);
    return 0;
}
