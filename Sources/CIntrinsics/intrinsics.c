#include "intrinsics.h"

// Here and not in the header: compiled for instructions that the rest of the program does not ask for.
#if defined(__x86_64__)
#define RB_FOLDING __attribute__((target("pclmul,sse4.1")))

int rb_crc32_folds(void) { return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1"); }

/// One folding step: `x` moved on by the distance that the constants stand for, plus `next`.
RB_FOLDING static inline __m128i rb_fold(__m128i x, __m128i constants, __m128i next) {
    __m128i low = _mm_clmulepi64_si128(x, constants, 0x00), high = _mm_clmulepi64_si128(x, constants, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

RB_FOLDING uint32_t rb_crc32_fold(uint32_t state, const uint8_t *bytes, size_t count) {
    // x^n modulo the reflected polynomial, for distances of 512, 128 and 64 bits; then the polynomial and its inverse.
    const __m128i by512 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
    const __m128i by128 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
    const __m128i by64 = _mm_set_epi64x(0, 0x0163cd6124);
    const __m128i reduction = _mm_set_epi64x(0x01f7011641, 0x01db710641);
    const __m128i low32 = _mm_set_epi32(0, -1, 0, -1);
    const __m128i *next = (const __m128i *)bytes, *end = (const __m128i *)(bytes + count);
    __m128i a = _mm_xor_si128(_mm_loadu_si128(next), _mm_cvtsi32_si128((int)state));
    __m128i b = _mm_loadu_si128(next + 1), c = _mm_loadu_si128(next + 2), d = _mm_loadu_si128(next + 3);
    for (next += 4; end - next >= 4; next += 4) {
        a = rb_fold(a, by512, _mm_loadu_si128(next));
        b = rb_fold(b, by512, _mm_loadu_si128(next + 1));
        c = rb_fold(c, by512, _mm_loadu_si128(next + 2));
        d = rb_fold(d, by512, _mm_loadu_si128(next + 3));
    }
    a = rb_fold(rb_fold(rb_fold(a, by128, b), by128, c), by128, d);
    for (; next < end; next++) a = rb_fold(a, by128, _mm_loadu_si128(next));
    // 128 bits to 64, to 32, and Barrett's reduction.
    a = _mm_xor_si128(_mm_clmulepi64_si128(a, by128, 0x10), _mm_srli_si128(a, 8));
    a = _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(a, low32), by64, 0x00), _mm_srli_si128(a, 4));
    __m128i q = _mm_and_si128(_mm_clmulepi64_si128(_mm_and_si128(a, low32), reduction, 0x10), low32);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(a, _mm_clmulepi64_si128(q, reduction, 0x00)), 1);
}
#else
int rb_crc32_folds(void) { return 0; }
uint32_t rb_crc32_fold(uint32_t state, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        state ^= bytes[i];
        for (int k = 0; k < 8; k++) state = (state >> 1) ^ (0xedb88320u & (0u - (state & 1u)));
    }
    return state;
}
#endif
