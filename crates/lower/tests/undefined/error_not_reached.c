// Neither the label ERROR nor the error function is reached.
// outcome: returned 7
extern void __VERIFIER_error(void);

int main(void)
{
    int n = 7;
    if (n < 0)
        goto ERROR;
    if (n == 8)
        __VERIFIER_error();
    return n;
ERROR:
    return 1;
}
