int tentative;
int tentative;
extern int declared;
int defined = 1;
extern int defined;
static int internal, internal_too = 2;
int incomplete[];
extern struct unknown opaque;
_Thread_local int per_thread;
static __thread int per_thread_too = 3;
_Alignas(16) int aligned;
typedef int wide_int __attribute__((aligned(32)));
wide_int by_typedef;
int weak __attribute__((weak)) = 1;
extern int maybe __attribute__((weak));
int renamed __asm__("other");
void target(void) { }
void alias(void) __attribute__((alias("target")));
#pragma weak pragmatic
void pragmatic(void);
_Noreturn void stop(void);
void stop_too(void) __attribute__((noreturn));
inline int inline_only(void) { return 1; }
static inline int inline_static(void) { return 2; }
extern inline int inline_here(void) { return 3; }
__attribute__((constructor)) void first(void) { }
__attribute__((constructor(200), destructor(300))) void both(void) { }
void release(int *);
int scopes(void)
{
    static int counter = 1;
    extern int declared, only_here;
    int function_here(int);
    int held __attribute__((cleanup(release))) = 3;
    { extern int only_here; static int counter; counter = only_here; }
    register int fast asm("ebx") = 1;
    return counter + declared + function_here(held) + fast;
}
asm(".globl nothing");
