// The length of a local array that has no terminating zero.
// outcome: out-of-bounds
__SIZE_TYPE__ strlen(const char *);

int main(void)
{
    char text[4] = {'f', 'o', 'u', 'r'};
    return (int)strlen(text);
}
