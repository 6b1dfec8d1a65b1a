int f(int x, int *p)
{
    int y;
    struct { int a[9]; } big;
    asm("nop");
    asm volatile("add %1, %0" : "=r"(y), "+m"(*p) : "ri"(x), "m"(big), "0"(3) : "memory", "cc");
    asm goto("jmp %l0" : : : : out);
    asm("" : [name] "=&r"(big.a[1]) : [in] "r"(p));
out:
    return y;
}
