// Checks packed and over-aligned records, unaligned members and pragma pack.
int printf(const char *, ...);

struct __attribute__((packed)) header { char tag; int length; short kind; long long stamp; };
struct partly { char c; int n __attribute__((packed)); double d; };
struct nested { char c; struct header h; int after; } __attribute__((packed));
struct loose { char c; struct header h; int after; };
struct __attribute__((aligned(16))) lined { char c; };
struct member_lined { char c; int n __attribute__((aligned(8))); char d; };
struct __attribute__((packed, aligned(4))) both { char c; short s; int n; };
#pragma pack(push, 2)
struct pragma_two { char c; int n; short s; char d; };
#pragma pack(pop)
typedef int lined_int __attribute__((aligned(32)));

#define AT(t, m) (int)__builtin_offsetof(struct t, m)

static int read(int *p) { return *p; }

int main(void)
{
    struct header h = {'x', 0x01020304, -2, 1LL << 40};
    struct nested n = {1, h, 77};
    printf("%d %d %d %d %d\n", (int)sizeof h, AT(header, length), AT(header, kind), AT(header, stamp), (int)_Alignof(struct header));
    printf("%d %d %d\n", (int)sizeof(struct partly), AT(partly, n), AT(partly, d));
    printf("%d %d %d\n", (int)sizeof n, AT(nested, h), AT(nested, after));
    printf("%d %d %d\n", (int)sizeof(struct loose), AT(loose, h), AT(loose, after));
    printf("%d %d\n", (int)sizeof(struct lined), (int)_Alignof(struct lined));
    printf("%d %d %d\n", (int)sizeof(struct member_lined), AT(member_lined, n), AT(member_lined, d));
    printf("%d %d %d %d\n", (int)sizeof(struct both), AT(both, s), AT(both, n), (int)_Alignof(struct both));
    printf("%d %d %d\n", (int)sizeof(struct pragma_two), AT(pragma_two, n), AT(pragma_two, d));
    printf("%d %d\n", (int)sizeof(lined_int), (int)_Alignof(lined_int));
    unsigned char *p = (unsigned char *)&h;
    for (unsigned i = 0; i < sizeof h; i++)
        printf("%x ", p[i]);
    printf("\n");
    n.h.length += 5;
    n.h.stamp--;
    printf("%x %d %lld %d\n", n.h.length, n.h.kind, n.h.stamp, n.after);
    struct header list[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
    printf("%d %d\n", (int)((char *)&list[1].length - (char *)list), list[1].length);
    int copy = list[0].length;
    printf("%d\n", read(&copy));
    return 0;
}
