// A read after the terminating zero of a string literal.
// outcome: out-of-bounds
int main(void)
{
    const char *s = "four";
    int i = 5;
    return s[i];
}
