// Checks escapes in strings and characters, concatenation, embedded zeros, multi-character constants.
int printf(const char *, ...);

static const char all[] = "\a\b\f\n\r\t\v\\\'\"\?\0\1\12\123\1234\x7f\xAb\e";
static const char joined[] = "\x1" "2" "\1" "23" "ab"
    "cd\
ef";

int main(void)
{
    for (unsigned i = 0; i < sizeof all; i++)
        printf("%d ", all[i]);
    printf("\n");
    for (unsigned i = 0; i < sizeof joined; i++)
        printf("%d ", joined[i]);
    printf("\n");
    printf("%d %d %d %d\n", 'ab', 'abcd', '\0a', '\377a');
    printf("%d %d %d %d\n", '\'', '"', '\\', '\?');
    printf("%d %d %d\n", '\0', '\60', '\x41');
    printf("%d %d\n", (int)sizeof 'ab', (int)sizeof "a\0b\0");
    printf("%d\n", "abc\0def"[5]);
    printf("%s|%s\n", "before\0after", "%d%%");
    printf("100%% %c%s\n", '%', "%s");
    char text[] = "tab\tquote\"back\\slash";
    printf("%s %d\n", text, (int)sizeof text);
    char exact[3] = "abc", longer[6] = "abc";
    printf("%d %d\n", exact[2], longer[5]);
    printf("%s\n", __func__);
    printf("%d\n", (int)sizeof __FUNCTION__);
    printf("%c%c\n", "0123456789abcdef"[11], *("xyz" + 1));
    printf("%d\n", '\xff' < 0);
    return 0;
}
