// A copy of a string that does not fit.
// outcome: out-of-bounds
char *strcpy(char *, const char *);

static const char *word = "characters";

int main(void)
{
    char buffer[10];
    strcpy(buffer, word);
    return 0;
}
