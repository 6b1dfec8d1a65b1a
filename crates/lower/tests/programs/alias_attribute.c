// Checks aliases of functions and objects.
int printf(const char *, ...);

int target(int n) { return n * 3; }
int other_name(int n) __attribute__((alias("target")));
static int static_target(void) { return 8; }
static int static_alias(void) __attribute__((alias("static_target")));
int weak_alias(int n) __attribute__((weak, alias("target")));

int object = 10;
extern int object_alias __attribute__((alias("object")));
static int list[3] = {1, 2, 3};
extern int list_alias[3] __attribute__((alias("list")));

int main(void)
{
    printf("%d %d %d\n", target(2), other_name(3), weak_alias(4));
    printf("%d\n", static_alias());
    object_alias++;
    printf("%d\n", object);
    object = 20;
    printf("%d %d\n", object_alias, &object == &object_alias);
    list_alias[1] = 50;
    printf("%d\n", list[1]);
    int (*p)(int) = other_name;
    printf("%d\n", p(5));
    return 0;
}
