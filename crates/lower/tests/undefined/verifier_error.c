// The error function that is only declared is called.
// outcome: error
extern void __VERIFIER_error(void);

int main(void)
{
    unsigned char c = 255;
    c++;
    if (c == 0)
        __VERIFIER_error();
    return 0;
}
