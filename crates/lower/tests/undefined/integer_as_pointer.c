// A read at an address that no object is near.
// outcome: invalid-access
int main(void)
{
    __UINTPTR_TYPE__ n = 0x10101010;
    int *p = (int *)(n << 1 ^ n);
    return *p;
}
