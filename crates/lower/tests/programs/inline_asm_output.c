// Checks that inline assembly is accepted where its result does not matter: outputs, clobbers, labels.
int printf(const char *, ...);

static inline void relax(void) { asm volatile("nop"); }
asm("# top level");

int main(void)
{
    int a = 3, b = 4, r, unused;
    asm("movl %1, %0" : "=r"(unused) : "r"(a));
    asm volatile("addl %2, %0" : "=r"(unused) : "0"(a), "r"(b) : "cc");
    asm("xorl %0, %0" : "+r"(unused));
    __asm__("leal (%[x],%[y]), %[out]" : [out] "=r"(r) : [x] "r"(1L), [y] "r"(2L));
    r = 7;
    int list[2] = {1, 2}, *p = list;
    asm volatile("movl $5, %0" : "=m"(list[0]));
    list[0] = 9;
    asm volatile("" : : "m"(*p), "i"(4));
    printf("%d %d %d\n", a, b, r);
    asm goto("" : : : : next);
next:
    relax();
    register int reg asm("ecx") = 1;
    (void)reg;
    printf("%d %d\n", list[0], *p);
    int named __asm__("renamed_local_is_ignored_for_automatic") = 6;
    return named - 6;
}
