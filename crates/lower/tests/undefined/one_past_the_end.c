// Forming the address just after an array is no error, nor is comparing it.
// outcome: returned 10
static int list[4] = {1, 2, 3, 4};

int main(void)
{
    int sum = 0, *end = &list[4];
    for (int *p = list; p != end; p++)
        sum += *p;
    return end - list == 4 ? sum : 1;
}
