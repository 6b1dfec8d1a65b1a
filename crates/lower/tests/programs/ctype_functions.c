// Checks the character classes over all characters.
int printf(const char *, ...);
int isalpha(int), isdigit(int), isalnum(int), isspace(int), isupper(int), islower(int);
int isxdigit(int), ispunct(int), isprint(int), iscntrl(int), isgraph(int), toupper(int), tolower(int);

static int (*const classes[])(int) = {isalpha, isdigit, isalnum, isspace, isupper, islower, isxdigit, ispunct, isprint, iscntrl, isgraph};

int main(void)
{
    int counts[16] = {0};
    unsigned upper = 0, lower = 0;
    for (int c = -1; c < 128; c++) {
        counts[0] += !!isalpha(c);
        counts[1] += !!isdigit(c);
        counts[2] += !!isalnum(c);
        counts[3] += !!isspace(c);
        counts[4] += !!isupper(c);
        counts[5] += !!islower(c);
        counts[6] += !!isxdigit(c);
        counts[7] += !!ispunct(c);
        counts[8] += !!isprint(c);
        counts[9] += !!iscntrl(c);
        counts[10] += !!isgraph(c);
        upper = upper * 31 + toupper(c);
        lower = lower * 31 + tolower(c);
    }
    for (int i = 0; i < 11; i++)
        printf("%d ", counts[i]);
    printf("\n%u %u\n", upper, lower);
    const char *text = "Hello, World 42!\n";
    for (; *text; text++)
        printf("%c", isupper(*text) ? tolower(*text) : isspace(*text) ? '_' : toupper(*text));
    printf("\n");
    int seen = 0;
    for (int i = 0; i < 11; i++)
        seen = seen * 2 + !!classes[i]('F');
    printf("%d\n", seen);
    return toupper('\n') - tolower('\n');
}
