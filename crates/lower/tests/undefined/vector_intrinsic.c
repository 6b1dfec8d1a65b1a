// A function of a system header that the front end does not understand has no meaning.
// data-model: LP64
// outcome: unsupported
#include <emmintrin.h>

int main(void)
{
    return _mm_movemask_epi8(_mm_set1_epi8(1));
}
