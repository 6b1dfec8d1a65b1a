// Checks weak definitions, weak references that nothing defines and their addresses.
int printf(const char *, ...);

__attribute__((weak)) int defined_weak(void) { return 5; }
extern int missing_function(int) __attribute__((weak));
extern int missing_object __attribute__((weak));
int strong(void) __attribute__((weak));
int strong(void) { return 6; }
__attribute__((weak)) int weak_object = 7;
__attribute__((weak)) int weak_zero;
#pragma weak pragma_weak
int pragma_weak(void);

int main(void)
{
    printf("%d %d\n", defined_weak(), strong());
    printf("%d %d\n", missing_function == 0, &missing_object == 0);
    if (missing_function)
        printf("%d\n", missing_function(3));
    if (&missing_object)
        printf("%d\n", missing_object);
    printf("%d %d\n", weak_object, weak_zero);
    weak_object++, weak_zero--;
    printf("%d %d\n", weak_object, weak_zero);
    printf("%d\n", pragma_weak ? pragma_weak() : -1);
    int (*p)(int) = missing_function;
    printf("%d\n", p ? p(1) : 100);
    return missing_function ? 1 : 0;
}
