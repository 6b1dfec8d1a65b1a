long long integers[] = { 1, -1, 2147483648, 0xffffffff, 0x80000000u, 4294967296, 1L, 1ULL, 18446744073709551615ULL, 0777, 0b101 };
double doubles[] = { 0.1, 1e400, -0.0, 0x1.8p1, 1.0f, 16777217 };
float singles[] = { 0.1, 0.1f, 1e-45f };
long double extended[] = { 0.1L, -1.0L, 0x1p-16445L };
__int128 large = (__int128) 1 << 100;
unsigned __int128 largest = -1;
enum { E = 3, F, G = E << 4, H = -5 };
int folded[G] = { F, H, sizeof(int[E]) };
_Bool truth = 0.5;
int f(void) { return E + 'x' + 1.5 + (char) 200 + (_Bool) 4; }
