// A read just after the end of a global array.
// outcome: out-of-bounds
static int first[3] = {1, 2, 3}, list[3] = {4, 5, 6}, last[3] = {7, 8, 9};

int main(void)
{
    int sum = 0;
    for (int *p = list; p <= list + 3; p++)
        sum += *p;
    return sum + first[0] + last[0];
}
