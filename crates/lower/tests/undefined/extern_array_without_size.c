// An array that is defined elsewhere and has no size: no access to it can be judged.
// outcome: unsupported
extern int table[];

int main(void)
{
    return table[3];
}
