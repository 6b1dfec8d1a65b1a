// Initialisers that compute a number are initial values, and no code that runs first.
int printf(const char *, ...);

enum { READ = 1, WRITE = 2, MODES = 3 };
struct rule { unsigned char rights; short weight; long long mask; unsigned flag : 3; float part; };

static const unsigned rights[] = { READ, READ | WRITE, WRITE << 4, ~READ };
static const struct rule rules[2] = {
    { READ | WRITE, -(3 * 7), 1LL << 40, MODES + 9, 1.0f / 4 },
    { .weight = (short)(40000 + READ), .mask = sizeof(int) > 2 ? -1 : 1, .rights = 0x1ff & ~1 },
};
static int table[MODES * 2] = { [MODES] = 5 % 3, [MODES + 1] = READ == WRITE, !0 };
static int *inside = table + (MODES - 1);
static double third = 1.0 / 3, sum = 0.5 + 0.25;
static unsigned char wrapped = 255 + 2;

int main(void)
{
    for (int i = 0; i < 4; i++)
        printf("%u\n", rights[i]);
    for (int i = 0; i < 2; i++)
        printf("%d %d %lld %u %d\n", rules[i].rights, rules[i].weight, rules[i].mask, rules[i].flag, (int)(rules[i].part * 100));
    for (int i = 0; i < 6; i++)
        printf("%d ", table[i]);
    printf("%d %d %d %d\n", (int)(inside - table), (int)(third * 1000), (int)(sum * 100), wrapped);
    return 0;
}
