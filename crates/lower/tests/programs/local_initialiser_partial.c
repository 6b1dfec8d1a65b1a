// Checks that the rest of a partly initialised local is zero, every time it is reached.
int printf(const char *, ...);

struct s { int a; char c[5]; struct { int x, y; } in; double d; void *p; };

static int dirty(int n)
{
    int junk[64];
    for (int i = 0; i < 64; i++)
        junk[i] = n + i;
    return junk[n & 63];
}

static int check(int n)
{
    struct s s = {n};
    int a[10] = {n, n};
    char text[8] = "ab";
    char exact[2] = "ab";
    int grid[2][3] = {{1}, {n}};
    struct s list[2] = {[1].in.y = n};
    int sum = s.a + s.c[0] + s.c[4] + s.in.x + s.in.y + (s.d != 0) + (s.p != 0);
    for (int i = 0; i < 10; i++)
        sum = sum * 2 + a[i];
    for (int i = 0; i < 8; i++)
        sum = sum * 2 + text[i];
    sum += exact[1];
    for (int i = 0; i < 6; i++)
        sum += (i + 1) * grid[i / 3][i % 3];
    sum += list[0].a + list[1].in.x + list[1].in.y * 1000;
    s.c[4] = a[9] = text[7] = grid[1][2] = list[0].a = 77;
    return sum;
}

int main(void)
{
    for (int i = 0; i < 4; i++) {
        dirty(i + 12345);
        printf("%d\n", check(i));
    }
    for (int i = 0; i < 3; i++) {
        int seen[4] = {i};
        struct { int a, b; } pair = {.b = i};
        for (int j = 0; j < 4; j++)
            seen[j] += j;
        pair.a++;
        printf("%d %d %d %d\n", seen[0], seen[3], pair.a, pair.b);
    }
    int empty[3] = {}, braces = {5}, twice[2] = {{1}, 2};
    printf("%d %d %d\n", empty[2], braces, twice[1]);
    char all[4] = {[2] = 'x'};
    return all[0] + all[1] + all[3];
}
