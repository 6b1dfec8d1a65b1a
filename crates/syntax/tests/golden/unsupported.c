typedef int vector __attribute__((vector_size(16)));
vector v;
_Complex double z;
_Decimal64 decimal;
_Float128 quad;
_Float16 half;
struct __attribute__((scalar_storage_order("big-endian"))) reversed { int x; } reversed;
void uses(void *buffer)
{
    v = v + v;
    v[1] = 3;
    z = z * 2;
    __real__ z = 1;
    __builtin_setjmp(buffer);
    reversed.x = __builtin_ia32_rdtsc();
    int nested(int y) { return y; }
    quad = nested(1);
}
