// Checks break and continue in nested for, while, do and switch.
int printf(const char *, ...);

int main(void)
{
    int trace = 0, n = 0;
    for (int i = 0; i < 5; i++) {
        if (i == 1)
            continue;
        for (int j = 0;; j++) {
            if (j == i)
                break;
            if (j % 2)
                continue;
            trace = trace * 3 + i + j;
        }
        if (i == 3)
            break;
        n += 100;
    }
    printf("%d %d\n", trace, n);
    int a = 0, b = 0;
    while (a < 10) {
        a++;
        if (a % 3 == 0)
            continue;
        do {
            b++;
            if (b % 4 == 0)
                continue;
            if (b % 7 == 0)
                break;
        } while (b < a * 2);
        switch (a) {
        case 4: continue;
        case 8: break;
        default: b += 10;
        }
        if (a == 8)
            break;
    }
    printf("%d %d\n", a, b);
    int i = 0, j;
    for (;;) {
        for (j = 10; j--;)
            if (j == 5)
                break;
        if (++i > 3)
            break;
    }
    printf("%d %d\n", i, j);
    for (i = 0; i < 3; i++)
        ;
    for (int i = 10; i < 12; i++)
        for (int i = 0; i < 2; i++)
            n++;
    printf("%d %d\n", i, n);
    unsigned u = 3;
    while (u--)
        n += u;
    printf("%u %d\n", u, n);
    do n--; while (n > 300);
    printf("%d\n", n);
    while (0)
        n = 0;
    do
        if (n > 5) break;
    while (1);
    return n != 300;
}
