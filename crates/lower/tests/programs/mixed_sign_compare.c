// Checks comparisons between signed and unsigned operands of several widths.
int printf(const char *, ...);

int main(void)
{
    signed char sc[] = {-128, -1, 0, 1, 127};
    unsigned char uc[] = {0, 1, 127, 128, 255};
    int si[] = {-2147483647 - 1, -1, 0, 1, 2147483647};
    unsigned ui[] = {0, 1, 2147483647u, 2147483648u, 4294967295u};
    long long sl[] = {-9223372036854775807LL - 1, -1, 0, 4294967295LL, 9223372036854775807LL};
    unsigned long long ul[] = {0, 1, 4294967295ULL, 9223372036854775808ULL, 18446744073709551615ULL};
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) {
            printf("%d%d%d%d ", sc[i] < uc[j], sc[i] <= uc[j], sc[i] == uc[j], sc[i] > uc[j]);
            printf("%d%d%d%d ", si[i] < ui[j], si[i] <= ui[j], si[i] == ui[j], si[i] > ui[j]);
            printf("%d%d%d%d ", sl[i] < ul[j], sl[i] >= ul[j], sl[i] != ul[j], sl[i] > ul[j]);
            printf("%d%d%d%d ", si[i] < sl[j], si[i] <= sl[j], si[i] == sl[j], si[i] > sl[j]);
            printf("%d%d%d%d ", ui[i] < sl[j], ui[i] <= sl[j], ui[i] == sl[j], ui[i] > sl[j]);
            printf("%d%d%d%d\n", sc[i] < ui[j], sc[i] <= ul[j], sc[i] == ui[j], sc[i] == ul[j]);
        }
    }
    printf("%d %d\n", sizeof(int) > -1, (int)sizeof(int) > -1);
    printf("%d %d\n", -1 < 0u, -1L < 0u);
    return 0;
}
