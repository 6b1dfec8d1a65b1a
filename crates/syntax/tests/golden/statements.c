int g(void);
int f(int x)
{
    ;
    if (x) return 1;
    if (x > 1) { x = 2; } else if (x < 0) x = 3; else { }
    while (x--) { if (x == 5) continue; break; }
    do x++; while (x < 3 && g() || !x);
    for (int i = 0, j = 1; i < j; i++, j--) x += i;
    for (;;) { goto out; }
    for (x = 1; x; ) ;
out:
    { int x = 1; x = x; }
    return x, g();
}
void nothing(void) { return; }
