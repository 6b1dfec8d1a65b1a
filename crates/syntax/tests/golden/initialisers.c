struct pair { int x, y; };
struct mixed { unsigned a : 3, b : 12, : 0, c : 1; char name[4]; union { int i; float f; }; };
int zero[3] = {};
int later[] = { [1] = 5, [0] = 6, 7, [1] = 8 };
int ranges[6] = { [0 ... 2] = 1, [5] = 2 };
struct pair pairs[2] = { 1, 2, { .y = 4 } };
struct mixed m = { 1, 2, 1, "ab", { .f = 1 } };
struct mixed old = { name: "abcd", .b = 5 };
char exact[3] = "abc", padded[5] = "abc", open[] = "abc", rows[2][3] = { "abcd", "x" };
int wide[] = L"hé";
unsigned short sixteen[3] = u"ab";
int scalar = { 3 };
struct flexible { int n; int rest[]; } f = { 2, { 1, 2 } };
void automatic(int v)
{
    struct pair p = { v }, q = p, r = { .y = v++ };
    int a[3] = { v, [2] = v };
    static struct pair s = { 1 };
    struct pair *c = &(struct pair) { v, 1 };
    struct { struct pair p; int z; } nested = { p, 3 }, other = { .p = p, .p.y = 9 };
}
