// A copy of more bytes than the destination has.
// outcome: out-of-bounds
void *memcpy(void *, const void *, __SIZE_TYPE__);

int main(void)
{
    char from[16] = "0123456789", to[8];
    int n = 9;
    memcpy(to, from, n);
    return to[0];
}
