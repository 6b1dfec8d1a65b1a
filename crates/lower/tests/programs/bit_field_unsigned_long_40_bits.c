// Checks a bit-field of type unsigned long with 40 bits and its neighbours.
// data-model: LP64
int printf(const char *, ...);

struct page {
    unsigned long flags : 12;
    unsigned long frame : 40;
    unsigned long ignored : 11;
    unsigned long execute : 1;
};

static unsigned long address(struct page p) { return (unsigned long)p.frame << 12; }

int main(void)
{
    struct page p = {0xfff, 0x123456789aul, 0, 1};
    printf("%lx %d\n", *(unsigned long *)&p, (int)sizeof p);
    printf("%lx\n", address(p));
    p.frame += 1ul << 39;
    p.flags &= ~5ul;
    printf("%lx\n", *(unsigned long *)&p);
    p.frame = ~0ul;
    p.execute = 0;
    p.ignored = 0x7ff;
    printf("%lx\n", *(unsigned long *)&p);
    p.frame++;
    printf("%lx %lx\n", (unsigned long)p.frame, (unsigned long)p.ignored);
    p.frame--;
    unsigned long r = p.frame << 8;
    printf("%lx\n", r);
    r = p.frame + p.flags;
    printf("%lx\n", r);
    p.ignored <<= 4;
    p.ignored |= 3;
    printf("%lx\n", (unsigned long)p.ignored);
    for (int i = 0; i < 50; i += 9) {
        p.frame = 1ul << i;
        printf("%lx ", (unsigned long)p.frame);
    }
    printf("\n");
    return 0;
}
