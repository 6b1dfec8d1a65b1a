struct empty { };
union both { char c; long l; struct { short s[3]; }; };
struct recursive { struct recursive *next; struct other *other; };
struct other { struct recursive first; union both both; };
struct bits { int a : 3; unsigned b : 7; char c; int : 0; long long d : 33; _Bool e : 1; int : 4; signed char f : 2; };
struct __attribute__((packed)) packed { char c; int i; int b : 5; short s; long long : 3; };
struct __attribute__((aligned(16))) aligned { char c; };
struct member { char c; int i __attribute__((aligned(8))); int p __attribute__((packed)); };
#pragma pack(push, 2)
struct pragma { char c; long l; };
#pragma pack(pop)
struct flexible { int n; char data[]; };
struct never;
struct empty empty; struct other other; struct bits bits; struct packed packed; struct aligned aligned;
struct member member; struct pragma pragma; struct flexible *flexible; struct never *never;
struct { int anonymous; } unnamed;
