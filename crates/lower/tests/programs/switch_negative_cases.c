// Checks switch with negative, dense, sparse and computed labels inside loops.
int printf(const char *, ...);

enum { BASE = -3 };
static const char *name(int n)
{
    switch (n) {
    case BASE: return "base";
    case BASE + 1: return "base+1";
    case ~0: return "minus one";
    case sizeof(int) == 4 ? 40 : 41: return "forty";
    case (char)200: return "char";
    case -2147483647 - 1: return "min";
    case 2147483647: return "max";
    case 'a' + 1: return "b";
    case !5: return "zero";
    case (int)2.9: return "two";
    }
    return "none";
}

static int machine(const char *s)
{
    int state = -1, count = 0;
    for (; *s; s++) {
        switch (state) {
        case -1:
            if (*s == '/') state = 0;
            continue;
        case 0:
            state = *s == '*' ? 1 : *s == '/' ? 3 : -1;
            break;
        case 1:
            if (*s == '*') { state = 2; break; }
            count++;
            break;
        case 2:
            if (*s == '/') { state = -1; break; }
            state = 1, count += 2;
            break;
        case 3:
            if (*s == '\n') state = -1;
            else count += 100;
        }
    }
    return count;
}

int main(void)
{
    int values[] = {-3, -2, -1, 40, 41, -56, 200, -2147483647 - 1, 2147483647, 98, 0, 2};
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
        printf("%s\n", name(values[i]));
    printf("%d\n", machine("a /* b*c */ d // ef\n g / h"));
    int n = -2, steps = 0;
    while (1) {
        steps++;
        switch (n++) {
        case -2: case -1: continue;
        case 0: n += 3; break;
        default: goto out;
        }
        steps += 10;
    }
out:
    printf("%d %d\n", n, steps);
    return 0;
}
