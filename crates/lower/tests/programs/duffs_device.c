// Checks a switch whose cases lie inside a loop, and other interleavings of both.
int printf(const char *, ...);

static void copy(char *to, const char *from, int count)
{
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to++ = *from++;
    case 7:      *to++ = *from++;
    case 6:      *to++ = *from++;
    case 5:      *to++ = *from++;
    case 4:      *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
}

static int generator(int *state)
{
    static int i;
    switch (*state) {
    case 0:
        for (i = 0; i < 3; i++) {
            *state = 1;
            return i * 10;
    case 1:;
        }
        *state = 2;
        return 99;
    case 2:
        while (1) {
            *state = 3;
            return -1;
    case 3:
            if (i++ > 4)
                break;
        }
    }
    *state = 0;
    return -2;
}

int main(void)
{
    const char *text = "the quick brown fox jumps";
    for (int i = 1; i <= 25; i += 4) {
        char buffer[32] = "................";
        copy(buffer, text, i);
        buffer[i] = 0;
        printf("%s\n", buffer);
    }
    int state = 0;
    for (int i = 0; i < 12; i++)
        printf("%d ", generator(&state));
    printf("\n");
    int r = 0;
    switch (3)
        while (r < 50) {
        case 1: r += 7;
        case 3: r += 5; if (r > 40) break;
        }
    printf("%d\n", r);
    return 0;
}
