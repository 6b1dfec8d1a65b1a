// Checks negative subscripts of each integer type and subscripts on both sides.
int printf(const char *, ...);

static int middle[21];
static int *const centre = middle + 10;

int main(void)
{
    signed char c = -3;
    short s = -4;
    long l = -5;
    long long ll = -6;
    for (int i = -10; i <= 10; i++)
        centre[i] = i * i * (i < 0 ? -1 : 1);
    printf("%d %d %d %d\n", centre[c], centre[s], centre[l], centre[ll]);
    printf("%d %d\n", middle[0], *(centre - 10));
    printf("%d %d\n", (-7)[centre], c[centre + 1]);
    int (*pair)[3] = (int (*)[3])(middle + 6);
    printf("%d %d\n", pair[-1][0], pair[-2][2]);
    char text[] = "negative", *end = text + sizeof text - 1;
    for (int i = -1; i >= -8; i--)
        printf("%c", end[i]);
    printf("\n");
    struct { int a, b; } list[3] = {{1, 2}, {3, 4}, {5, 6}}, *p = list + 2;
    printf("%d %d\n", p[-1].b, (p - 2)->a);
    p[-2].b = p[-1].a * 10;
    printf("%d\n", list[0].b);
    int index = 0;
    printf("%d ", centre[--index]);
    printf("%d ", centre[index--]);
    printf("%d\n", index);
    centre[-1] += centre[-index]++;
    printf("%d %d\n", middle[9], middle[12]);
    int *q = &centre[5];
    q -= -2;
    printf("%d %d\n", *q, q[-7]);
    return 0;
}
