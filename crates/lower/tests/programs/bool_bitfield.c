// Checks bit-fields of type _Bool among others.
int printf(const char *, ...);

struct flags {
    _Bool a : 1;
    _Bool b : 1;
    unsigned n : 3;
    _Bool c : 1;
    _Bool whole;
};

int main(void)
{
    struct flags f = {2, 0, 9, 0.5, 7};
    printf("%d %d %d %d %d\n", f.a, f.b, f.n, f.c, f.whole);
    f.b = 4;
    f.a = 0;
    printf("%d %d %d %d\n", f.a, f.b, f.n, f.c);
    f.c = f.a;
    f.a = &f;
    printf("%d %d\n", f.a, f.c);
    f.c = !f.c;
    printf("%d\n", f.c);
    f.c ^= 1;
    printf("%d\n", f.c);
    f.a += 1;
    f.b--;
    printf("%d %d\n", f.a, f.b);
    f.b--;
    printf("%d\n", f.b);
    printf("%d\n", f.a + f.b + 1);
    printf("%d %d\n", -f.a, ~f.a);
    int assigned = (f.c = 8);
    printf("%d\n", assigned);
    printf("%d\n", (int)sizeof(struct flags));
    return 0;
}
