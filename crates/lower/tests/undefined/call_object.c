// A call through a pointer to an object.
// outcome: bad-call
static int object = 5;

int main(void)
{
    int (*f)(void) = (int (*)(void))(void *)&object;
    return f();
}
