// A read through the null pointer.
// outcome: null-dereference
int main(void)
{
    int *p = 0, *q = p;
    return *q;
}
