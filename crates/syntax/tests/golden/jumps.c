int computed(int x)
{
    static const void *const table[] = { &&one, &&two, 0 };
    void *p = &&two;
    __label__ local;
    goto *table[x];
one:
    goto *p;
two: local:
    goto local;
}
void inner(void) { { __label__ a; goto a; a: ; } { __label__ a; a: goto a; } }
