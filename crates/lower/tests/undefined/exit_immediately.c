// The program exits with a status by _exit.
// outcome: exited 4
void _exit(int);

int main(void)
{
    for (int i = 0;; i++)
        if (i == 4)
            _exit(i);
}
