// A write just before a global array.
// outcome: out-of-bounds
static int first[3], list[3], last[3];

int main(void)
{
    int i = -1;
    list[i] = 5;
    return first[2] + last[0];
}
