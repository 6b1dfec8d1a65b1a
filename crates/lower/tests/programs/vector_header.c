// data-model: LP64
// The vector intrinsics do no harm to a program that does not call them.
#include <emmintrin.h>
#include <immintrin.h>
static __m128i twice(__m128i x) { return _mm_add_epi32(x, x); }
int main(void) { return sizeof(__m128i) - 16; }
