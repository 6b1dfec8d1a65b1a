// A function with the name of a library function and another type is not that function.
// outcome: returned 0
extern int index(int key);

int main(void)
{
    return index(3);
}
