// Checks where bit-fields lie: packing, zero width, unnamed padding, straddling, mixed types.
int printf(const char *, ...);
void *memset(void *, int, __SIZE_TYPE__);

struct plain { unsigned a : 3, b : 5, c : 8, d : 16; };
struct gap { unsigned a : 3; unsigned : 4; unsigned b : 2; };
struct zero { unsigned char a : 3; unsigned : 0; unsigned char b : 2; };
struct straddle { unsigned a : 20, b : 20; char c; };
struct mixed { char a; int b : 9; short c : 3; char d; };
struct wide { unsigned long long a : 30, b : 30, c : 4; unsigned char d : 1; };
struct small { unsigned char a : 5, b : 5, c : 5; };
struct __attribute__((packed)) tight { unsigned a : 5, b : 20, c : 30; char d; };
struct overlap { int n; unsigned a : 1; char c; unsigned b : 1; };
union either { unsigned a : 7; unsigned short b; };

#define SHOW(type, init) do { \
    union { struct type s; unsigned char b[sizeof(struct type)]; } u; \
    memset(&u, 0, sizeof u); \
    init; \
    printf(#type " %d:", (int)sizeof(struct type)); \
    for (unsigned i = 0; i < sizeof(struct type); i++) printf(" %x", u.b[i]); \
    printf("\n"); } while (0)

int main(void)
{
    SHOW(plain, (u.s.a = 5, u.s.b = 17, u.s.c = 0xab, u.s.d = 0x1234));
    SHOW(gap, (u.s.a = 7, u.s.b = 3));
    SHOW(zero, (u.s.a = 7, u.s.b = 3));
    SHOW(straddle, (u.s.a = 0xfffff, u.s.b = 0xabcde, u.s.c = 1));
    SHOW(mixed, (u.s.a = 1, u.s.b = -2, u.s.c = 2, u.s.d = 9));
    SHOW(wide, (u.s.a = 0x3fffffff, u.s.b = 0x12345678, u.s.c = 9, u.s.d = 1));
    SHOW(small, (u.s.a = 31, u.s.b = 1, u.s.c = 16));
    SHOW(tight, (u.s.a = 31, u.s.b = 0xabcde, u.s.c = 0x3fffffff, u.s.d = 2));
    SHOW(overlap, (u.s.n = -1, u.s.a = 1, u.s.c = 2, u.s.b = 1));
    union either e = {0x55};
    printf("%d %d\n", (int)sizeof e, e.a);
    printf("%d %d\n", (int)_Alignof(struct mixed), (int)_Alignof(struct tight));
    return 0;
}
