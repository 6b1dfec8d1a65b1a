// Checks that common tentative definitions in both units name one object.
int printf(const char *, ...);
__attribute__((common)) int shared;
__attribute__((common)) int initialised_elsewhere;
__attribute__((common)) struct { int a, b; } record;
__attribute__((common)) int list[4];
int only_here;
int only_here;
void change(void);

int main(void)
{
    printf("%d %d\n", shared, initialised_elsewhere);
    shared = 1;
    record.a = 2;
    list[3] = 3;
    change();
    printf("%d %d %d %d\n", shared, initialised_elsewhere, record.b, list[0]);
    printf("%d\n", only_here);
    return 0;
}
