__attribute__((common)) int shared;
int initialised_elsewhere = 50;
__attribute__((common)) struct { int a, b; } record;
__attribute__((common)) int list[4];
extern int only_here;

void change(void)
{
    shared += 10;
    initialised_elsewhere++;
    record.b = record.a * 10;
    list[0] = list[3] * 10;
    only_here = 7;
}
