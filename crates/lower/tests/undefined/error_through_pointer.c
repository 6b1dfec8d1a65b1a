// An error function that is called through a pointer.
// outcome: error
extern void reach_error(void);

int main(void)
{
    void (*p)(void) = reach_error;
    p();
    return 0;
}
