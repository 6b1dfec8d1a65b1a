// Checks the functions on strings of the C library.
int printf(const char *, ...);
typedef __SIZE_TYPE__ size_t;
size_t strlen(const char *);
size_t strnlen(const char *, size_t);
char *strcpy(char *, const char *);
char *strncpy(char *, const char *, size_t);
char *strcat(char *, const char *);
char *strncat(char *, const char *, size_t);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
char *strchr(const char *, int);
char *strrchr(const char *, int);
char *strstr(const char *, const char *);
size_t strspn(const char *, const char *);
size_t strcspn(const char *, const char *);
char *strpbrk(const char *, const char *);
char *strdup(const char *);
void free(void *);

static int sign(int n) { return n < 0 ? -1 : n > 0; }

int main(void)
{
    char buffer[32] = "################", *p;
    printf("%d %d %d\n", (int)strlen(""), (int)strlen("abc\0def"), (int)strnlen("abcdef", 4));
    p = strcpy(buffer, "abc");
    printf("%s %d %c\n", buffer, p == buffer, buffer[4]);
    strncpy(buffer, "xyz", 2);
    printf("%s\n", buffer);
    strncpy(buffer + 5, "q", 4);
    printf("%d %d %c\n", buffer[6], buffer[8], buffer[9]);
    strcat(strcat(buffer, "-"), "def");
    strncat(buffer, "ghijk", 3);
    printf("%s\n", buffer);
    const char *pairs[][2] = {{"", ""}, {"a", "b"}, {"b", "a"}, {"ab", "a"}, {"a", "ab"}, {"\xff", "a"}, {"abc", "abd"}};
    for (int i = 0; i < 7; i++)
        printf("%d %d\n", sign(strcmp(pairs[i][0], pairs[i][1])), sign(strncmp(pairs[i][0], pairs[i][1], 1)));
    printf("%d %d\n", strncmp("ab", "cd", 0), sign(strncmp("abx", "aby", 2)));
    const char *s = "mississippi";
    printf("%d %d %d\n", (int)(strchr(s, 's') - s), (int)(strrchr(s, 's') - s), strchr(s, 'z') == 0);
    printf("%d %d\n", (int)(strchr(s, 0) - s), (int)(strrchr(s, 'i' + 256) - s));
    printf("%d %d %d\n", (int)(strstr(s, "ssip") - s), strstr(s, "sss") == 0, strstr(s, "") == s);
    printf("%d %d\n", (int)strspn(s, "mis"), (int)strcspn(s, "ps"));
    printf("%s %d\n", strpbrk(s, "pq"), strpbrk(s, "xyz") == 0);
    p = strdup(s);
    p[0] = 'M';
    printf("%s %s\n", p, s);
    free(p);
    return 0;
}
