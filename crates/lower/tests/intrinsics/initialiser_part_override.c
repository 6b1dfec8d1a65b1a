// outcome: unsupported
struct pair { int a, b; };
struct outer { struct pair p; int c; };
int main(void)
{
    struct pair s = {7, 8};
    struct outer x = {.p = s, .p.b = 3};
    return x.p.a;
}
