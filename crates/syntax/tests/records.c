/* Records that are laid out in surprising ways. */
struct empty { };
struct one { char c; };
struct holder { struct empty e; int x; struct empty f; };
union mixed { char c; short s; long l; long double ld; char a[11]; };
struct order { char a; short b; char c; int d; char e; long f; char g; long long h; char i; double j; };
struct extended { char c; long double ld; char d; };
struct pointers { char c; void *p; char d; void (*f)(void); };
struct bits { unsigned a : 3; unsigned b : 30; unsigned c : 1; unsigned d : 31; unsigned e : 2; };
struct bit_types { char a : 3; short b : 9; int c : 17; long long d : 33; _Bool e : 1; unsigned char f : 8; };
struct bit_zero { char a : 1; int : 0; char b : 1; short : 0; char c : 1; long long : 0; char d; };
struct bit_unnamed { int a : 3; int : 7; int b : 5; char : 2; char c : 7; };
struct bit_then_plain { int a : 3; char b; int c : 9; short d; int e : 30; char f; };
struct plain_then_bit { char a; int b : 25; char c; int d : 24; };
struct bit_wide { unsigned long long a : 40; unsigned long long b : 40; unsigned long long c : 64; unsigned d : 1; };
struct bit_enum { enum small { SMALL } a : 2; enum wide { WIDE = 0x1ffffffff } b : 35; unsigned c : 1; };
union bit_union { int a : 3; unsigned b : 20; char c : 8; long long d : 50; };
struct __attribute__((packed)) packed { char a; int b; short c; long long d; double e; long double f; };
struct __attribute__((packed)) packed_bits { char a : 3; int b : 31; short c : 11; long long d : 61; char e; int f : 3; };
struct __attribute__((packed)) packed_inner { char c; struct order o; struct bits b; };
struct part_packed { char a; int b __attribute__((packed)); short c; long long d __attribute__((packed)); };
struct part_packed_bits { char a; int b : 17 __attribute__((packed)); int c : 17; };
struct __attribute__((aligned(32))) aligned { char c; int x; };
struct part_aligned { char a; int b __attribute__((aligned(16))); char c; int d : 3 __attribute__((aligned(8))); int e : 3; };
struct __attribute__((packed, aligned(4))) packed_aligned { char a; long long b; short c; };
struct aligned_member { char c; struct aligned a; char d; };
struct aligned_array { char c; _Alignas(64) char d[3]; };
typedef int low __attribute__((aligned(2)));
typedef long long high __attribute__((aligned(64)));
struct typedefs { char a; low b; char c; high d; };
#pragma pack(push, 1)
struct pack1 { char a; int b; long long c; int d : 5; short e; };
#pragma pack(2)
struct pack2 { char a; int b; long long c; int d : 5; short e; char f; double g; };
#pragma pack(4)
struct pack4 { char a; long long b; char c; double d; int e __attribute__((aligned(8))); long f : 3; };
#pragma pack(pop)
struct after_pack { char a; long long b; };
struct anonymous { int a; struct { char b; int c : 4; union { short d; long long e; }; }; union { char f; double g; }; char h; };
struct nested { struct { int x; } a; struct inner { char b; short c; } d[3]; union other { int e; char f; } g; };
struct flexible { char n; int data[]; };
struct flexible_bits { int n : 5; char data[]; };
struct zero_array { char c; long long data[0]; };
struct ends_flexible { int x; struct flexible f; };
struct functions { int (*f)(struct functions *); struct functions *next; };
struct arrays { char a[3]; short b[3][2]; struct one c[5]; long long d[2]; };
struct int128_members { char c; _Complex float z; };
struct __attribute__((ms_struct)) microsoft { char a : 3; int b : 3; int : 0; short c : 3; char d; };
struct enums { enum { E1 } a; char b; enum { E2 = -1 } c; char d; enum { E3 = 0x80000000 } e; enum { E4 = 1ull << 40 } f; };
struct bools { _Bool a; _Bool b : 1; _Bool : 0; _Bool c : 1; _Bool d[3]; };

struct empty *u1; struct one *u2; struct holder *u3; union mixed *u4; struct order *u5; struct extended *u6;
struct pointers *u7; struct bits *u8; struct bit_types *u9; struct bit_zero *u10; struct bit_unnamed *u11;
struct bit_then_plain *u12; struct plain_then_bit *u13; struct bit_wide *u14; struct bit_enum *u15;
union bit_union *u16; struct packed *u17; struct packed_bits *u18; struct packed_inner *u19;
struct part_packed *u20; struct part_packed_bits *u21; struct aligned *u22; struct part_aligned *u23;
struct packed_aligned *u24; struct aligned_member *u25; struct aligned_array *u26; struct typedefs *u27;
struct pack1 *u28; struct pack2 *u29; struct pack4 *u30; struct after_pack *u31; struct anonymous *u32;
struct nested *u33; struct flexible *u34; struct flexible_bits *u35; struct zero_array *u36;
struct ends_flexible *u37; struct functions *u38; struct arrays *u39; struct int128_members *u40;
struct microsoft *u41; struct enums *u42; struct bools *u43;
