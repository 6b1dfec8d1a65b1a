// Checks wide, UTF-16, UTF-32 and UTF-8 string literals and character constants.
int printf(const char *, ...);
typedef __WCHAR_TYPE__ wide;
typedef __CHAR16_TYPE__ u16;
typedef __CHAR32_TYPE__ u32;

static const wide global[] = L"wide\n";
static const wide *pointer = L"pointer";
static const wide list[][4] = {L"abc", L"d", {L'e', 0x1F600}};

static int length(const wide *s) { int n = 0; while (*s++) n++; return n; }

int main(void)
{
    printf("%d %d %d\n", (int)sizeof(wide), (int)sizeof global, length(global));
    printf("%d %d %d\n", global[3], pointer[0], length(pointer));
    printf("%d %d %d %d\n", list[0][2], list[1][1], list[2][1], list[2][2]);
    printf("%d %d %d\n", (int)sizeof L"ab", (int)sizeof u"ab", (int)sizeof U"ab");
    printf("%d %d\n", (int)sizeof u8"ab", (int)sizeof "");
    printf("%x %x\n", L'\x1234', L'\u00e9');
    printf("%x %x\n", (unsigned)u'\xffff', (unsigned)U'\U0001F600');
    const u16 *s = u"x\U0001F600y";
    for (int i = 0; s[i]; i++)
        printf("%x ", s[i]);
    printf("\n");
    const u32 t[] = U"\u20ac" U"!";
    printf("%x %x %d\n", t[0], t[1], (int)(sizeof t / sizeof *t));
    const char *utf8 = u8"\u20ac\u00e9";
    for (int i = 0; utf8[i]; i++)
        printf("%x ", (unsigned char)utf8[i]);
    printf("\n");
    wide local[8] = L"hi";
    local[2] = L'!';
    printf("%d %d %d\n", length(local), local[2], local[7]);
    printf("%d %d\n", L"concat" "enated"[0] == 'e', length(L"con" "cat"));
    printf("%d\n", L'\xffffffff' == -1);
    return 0;
}
