extern int nondet(void);
extern void reach_error(void);
int main(void)
{
    int b = nondet(), x = b, y = b;
    b = nondet();
    while (nondet())
        b++;
    if (x != y)
        reach_error();
    return 0;
}
