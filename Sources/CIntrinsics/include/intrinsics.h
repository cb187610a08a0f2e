// Header-only intrinsics that Swift cannot express: each inlines into Swift loops compiled with the same -march.
// Without AVX2 (portable builds, arm64) every function has a plain C form with the same result.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#define RB_INLINE static inline __attribute__((always_inline, unused))

extern int sched_setaffinity(int pid, size_t length, const void *_Nonnull mask);
extern int sched_getaffinity(int pid, size_t length, void *_Nonnull mask);

/// Pins the calling thread to one CPU; the scheduler otherwise leaves both workers on one core at times.
RB_INLINE int rb_pin_thread(int cpu) {
    unsigned long mask[16] = {0};
    mask[(cpu / 64) % 16] = 1ul << (cpu % 64);
    return sched_setaffinity(0, sizeof mask, mask);
}
/// The calling thread's CPUs as 1,024 bits; -1 on failure.
RB_INLINE int rb_get_affinity(uint64_t *_Nonnull mask) { return sched_getaffinity(0, 128, mask); }
RB_INLINE int rb_set_affinity(const uint64_t *_Nonnull mask) { return sched_setaffinity(0, 128, mask); }

extern long syscall(long number, ...);
/// Sleeps while a word has a value, until somebody wakes those who sleep on it; may return without cause.
RB_INLINE void rb_futex_wait(uint32_t *_Nonnull word, uint32_t value) {
    syscall(SYS_futex, word, 128 /* FUTEX_WAIT_PRIVATE */, value, (void *)0);
}
/// Wakes at most `count` of those who sleep on a word.
RB_INLINE void rb_futex_wake(uint32_t *_Nonnull word, int count) {
    syscall(SYS_futex, word, 129 /* FUTEX_WAKE_PRIVATE */, count);
}
RB_INLINE uint32_t rb_load_acquire(const uint32_t *_Nonnull word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
RB_INLINE void rb_store_release(uint32_t *_Nonnull word, uint32_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
/// Nonzero when the word had the old value and has the new one now.
RB_INLINE int rb_compare_exchange(uint32_t *_Nonnull word, uint32_t old, uint32_t new) {
    return __atomic_compare_exchange_n(word, &old, new, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/// The C library's heap: fewer arenas, and free memory that does not pile up in it. Before other threads start.
void rb_heap_bound(int arenas, int mapped_from, int trimmed_from);
/// Gives free pages of the heap back.
void rb_heap_trim(void);
/// Bytes of the heap that are in use, and free ones that it keeps.
void rb_heap_bytes(size_t *_Nonnull used, size_t *_Nonnull free);
/// Gives the pages of the calling thread's stack back that lie `keep` bytes and more below the present place, if one
/// of them, `probe` bytes below, is in memory. Returns whether it did.
int rb_stack_release(size_t keep, size_t probe);

RB_INLINE void rb_prefetch(const void *_Nonnull p) { __builtin_prefetch(p, 0, 3); }
/// A counter that runs at a steady rate on all CPUs: cheaper than the clock, for time stamps once a batch. Its unit is
/// found by comparing with the clock.
RB_INLINE uint64_t rb_ticks(void) {
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}
RB_INLINE void rb_pause(void) {
#if defined(__x86_64__)
    _mm_pause();
#endif
}

#if defined(__SSE4_2__)
RB_INLINE uint64_t rb_crc32c_u64(uint64_t seed, uint64_t value) { return _mm_crc32_u64(seed, value); }
RB_INLINE uint32_t rb_crc32c_u8(uint32_t seed, uint8_t value) { return _mm_crc32_u8(seed, value); }
#else
RB_INLINE uint32_t rb_crc32c_u8(uint32_t seed, uint8_t value) {
    seed ^= value;
    for (int k = 0; k < 8; k++) seed = (seed >> 1) ^ (0x82f63b78u & (0u - (seed & 1u)));
    return seed;
}
RB_INLINE uint64_t rb_crc32c_u64(uint64_t seed, uint64_t value) {
    uint32_t s = (uint32_t)seed;
    for (int k = 0; k < 8; k++) s = rb_crc32c_u8(s, (uint8_t)(value >> (8 * k)));
    return s;
}
#endif

/// What kinds of bytes the 64 bytes of a JSON text are: a bit each.
typedef struct {
    uint64_t quotes, backslashes;
    /// `{ } [ ] : ,` and, of these, the two that close.
    uint64_t operators, closers;
    /// Blank, tab, line feed, carriage return; and all bytes below a blank.
    uint64_t blanks, controls;
} rb_json_kinds;

#if defined(__AVX2__)
RB_INLINE uint64_t rb_json_mask(__m256i low, __m256i high) {
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}
/// Classification by shuffles: the low half of a byte chooses the only byte of a class that it can be.
RB_INLINE rb_json_kinds rb_json_kinds64(const uint8_t *_Nonnull p) {
    const __m256i blank = _mm256_setr_epi8(
        ' ', 100, 100, 100, 17, 100, 113, 2, 100, '\t', '\n', 112, 100, '\r', 100, 100,
        ' ', 100, 100, 100, 17, 100, 113, 2, 100, '\t', '\n', 112, 100, '\r', 100, 100);
    const __m256i operator = _mm256_setr_epi8(
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0);
    const __m256i curl = _mm256_set1_epi8(0x20), last = _mm256_set1_epi8(0x1F), close = _mm256_set1_epi8('}');
    const __m256i quote = _mm256_set1_epi8('"'), escape = _mm256_set1_epi8('\\');
    __m256i x = _mm256_loadu_si256((const __m256i *)p), y = _mm256_loadu_si256((const __m256i *)(p + 32));
    __m256i cx = _mm256_or_si256(x, curl), cy = _mm256_or_si256(y, curl);
    rb_json_kinds kinds;
    kinds.quotes = rb_json_mask(_mm256_cmpeq_epi8(x, quote), _mm256_cmpeq_epi8(y, quote));
    kinds.backslashes = rb_json_mask(_mm256_cmpeq_epi8(x, escape), _mm256_cmpeq_epi8(y, escape));
    kinds.controls =
        rb_json_mask(_mm256_cmpeq_epi8(_mm256_min_epu8(x, last), x), _mm256_cmpeq_epi8(_mm256_min_epu8(y, last), y));
    kinds.blanks = rb_json_mask(
        _mm256_cmpeq_epi8(x, _mm256_shuffle_epi8(blank, x)), _mm256_cmpeq_epi8(y, _mm256_shuffle_epi8(blank, y)));
    kinds.operators = rb_json_mask(
        _mm256_cmpeq_epi8(cx, _mm256_shuffle_epi8(operator, x)),
        _mm256_cmpeq_epi8(cy, _mm256_shuffle_epi8(operator, y))) & ~kinds.controls;
    kinds.closers = rb_json_mask(_mm256_cmpeq_epi8(cx, close), _mm256_cmpeq_epi8(cy, close));
    return kinds;
}
RB_INLINE uint64_t rb_equal2_mask64(const uint8_t *_Nonnull p, uint8_t a, uint8_t b) {
    __m256i x = _mm256_loadu_si256((const __m256i *)p), y = _mm256_loadu_si256((const __m256i *)(p + 32));
    __m256i va = _mm256_set1_epi8((char)a), vb = _mm256_set1_epi8((char)b);
    uint32_t lo = (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(_mm256_cmpeq_epi8(x, va), _mm256_cmpeq_epi8(x, vb)));
    uint32_t hi = (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(_mm256_cmpeq_epi8(y, va), _mm256_cmpeq_epi8(y, vb)));
    return (uint64_t)lo | ((uint64_t)hi << 32);
}
RB_INLINE uint64_t rb_nonzero_mask64(const uint8_t *_Nonnull p) {
    __m256i x = _mm256_loadu_si256((const __m256i *)p), y = _mm256_loadu_si256((const __m256i *)(p + 32));
    __m256i z = _mm256_setzero_si256();
    uint32_t lo = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, z));
    uint32_t hi = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(y, z));
    return ~((uint64_t)lo | ((uint64_t)hi << 32));
}
RB_INLINE uint32_t rb_match2_mask32(const uint8_t *_Nonnull p, size_t offset, uint8_t first, uint8_t last) {
    __m256i x = _mm256_loadu_si256((const __m256i *)p), y = _mm256_loadu_si256((const __m256i *)(p + offset));
    return (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(
        _mm256_cmpeq_epi8(x, _mm256_set1_epi8((char)first)), _mm256_cmpeq_epi8(y, _mm256_set1_epi8((char)last))));
}
RB_INLINE uint64_t rb_match3_mask64(
    const uint8_t *_Nonnull p, size_t o2, size_t o3, uint8_t a, uint8_t b, uint8_t c) {
    __m256i va = _mm256_set1_epi8((char)a), vb = _mm256_set1_epi8((char)b), vc = _mm256_set1_epi8((char)c);
    uint32_t r[2];
    for (int k = 0; k < 2; k++, p += 32) {
        __m256i x = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)p), va);
        __m256i y = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(p + o2)), vb);
        __m256i z = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(p + o3)), vc);
        r[k] = (uint32_t)_mm256_movemask_epi8(_mm256_and_si256(_mm256_and_si256(x, y), z));
    }
    return (uint64_t)r[0] | (uint64_t)r[1] << 32;
}
/// Stores 8 positions: 8 bytes of a table widened to 16 bits, plus a base.
RB_INLINE void rb_store_positions8(uint16_t *_Nonnull out, const uint8_t *_Nonnull table, uint16_t base) {
    __m128i v = _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)table));
    _mm_storeu_si128((__m128i *)out, _mm_add_epi16(v, _mm_set1_epi16((short)base)));
}
/// Which of eight places have their bit set in a bitmap of `range` bits; what is not in 0 ..< range has none.
RB_INLINE uint64_t rb_bitmap_bits8(__m256i q, __m256i end, const int32_t *_Nonnull words, __m256i flip) {
    __m256i in = _mm256_and_si256(_mm256_cmpgt_epi32(end, q), _mm256_cmpgt_epi32(q, _mm256_set1_epi32(-1)));
    q = _mm256_and_si256(q, in);
    __m256i g = _mm256_i32gather_epi32(words, _mm256_srli_epi32(q, 5), 4);
    g = _mm256_and_si256(_mm256_srlv_epi32(g, _mm256_and_si256(q, _mm256_set1_epi32(31))), in);
    g = _mm256_xor_si256(g, flip);
    uint32_t bits = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(g, 31)));
    return _pdep_u64(bits, 0x0101010101010101ull);
}
#define RB_BITMAP_TEST(name, type, widened)                                                                            \
    RB_INLINE void name(                                                                                               \
        const type *_Nonnull values, size_t count, int32_t offset, int32_t range, const int32_t *_Nonnull words,       \
        uint8_t *_Nonnull mask, int combine, int negated) {                                                            \
        __m256i o = _mm256_set1_epi32(offset), end = _mm256_set1_epi32(range);                                         \
        __m256i flip = _mm256_set1_epi32(negated ? -1 : 0);                                                            \
        for (size_t i = 0; i < count; i += 8) {                                                                        \
            uint64_t old, bytes = rb_bitmap_bits8(_mm256_add_epi32(widened, o), end, words, flip);                     \
            if (combine) { __builtin_memcpy(&old, mask + i, 8); bytes &= old; }                                        \
            __builtin_memcpy(mask + i, &bytes, 8);                                                                     \
        }                                                                                                              \
    }
/// mask[i] (&)= bit (values[i] + offset) of the bitmap, eight by one gather. Reads up to 7 values past count, and writes
/// as many bytes.
RB_BITMAP_TEST(rb_bitmap_test32, uint32_t, _mm256_loadu_si256((const __m256i *)(values + i)))
RB_BITMAP_TEST(rb_bitmap_test16, uint16_t, _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(values + i))))
#undef RB_BITMAP_TEST
#else
RB_INLINE rb_json_kinds rb_json_kinds64(const uint8_t *_Nonnull p) {
    rb_json_kinds kinds = {0, 0, 0, 0, 0, 0};
    for (int i = 0; i < 64; i++) {
        const uint64_t bit = 1ull << i;
        const uint8_t c = p[i];
        if (c == '"') kinds.quotes |= bit;
        if (c == '\\') kinds.backslashes |= bit;
        if (c == '{' || c == '}' || c == '[' || c == ']' || c == ':' || c == ',') kinds.operators |= bit;
        if (c == '}' || c == ']') kinds.closers |= bit;
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') kinds.blanks |= bit;
        if (c < ' ') kinds.controls |= bit;
    }
    return kinds;
}
RB_INLINE uint64_t rb_equal2_mask64(const uint8_t *_Nonnull p, uint8_t a, uint8_t b) {
    uint64_t r = 0;
    for (int i = 0; i < 64; i++) r |= (uint64_t)(p[i] == a || p[i] == b) << i;
    return r;
}
RB_INLINE uint64_t rb_nonzero_mask64(const uint8_t *_Nonnull p) {
    uint64_t r = 0;
    for (int i = 0; i < 64; i++) r |= (uint64_t)(p[i] != 0) << i;
    return r;
}
RB_INLINE uint32_t rb_match2_mask32(const uint8_t *_Nonnull p, size_t offset, uint8_t first, uint8_t last) {
    uint32_t r = 0;
    for (int i = 0; i < 32; i++) r |= (uint32_t)(p[i] == first && p[i + offset] == last) << i;
    return r;
}
RB_INLINE uint64_t rb_match3_mask64(
    const uint8_t *_Nonnull p, size_t o2, size_t o3, uint8_t a, uint8_t b, uint8_t c) {
    uint64_t r = 0;
    for (int i = 0; i < 64; i++) r |= (uint64_t)(p[i] == a && p[i + o2] == b && p[i + o3] == c) << i;
    return r;
}
RB_INLINE void rb_store_positions8(uint16_t *_Nonnull out, const uint8_t *_Nonnull table, uint16_t base) {
    for (int i = 0; i < 8; i++) out[i] = (uint16_t)(table[i] + base);
}
#define RB_BITMAP_TEST(name, type)                                                                                     \
    RB_INLINE void name(                                                                                               \
        const type *_Nonnull values, size_t count, int32_t offset, int32_t range, const int32_t *_Nonnull words,       \
        uint8_t *_Nonnull mask, int combine, int negated) {                                                            \
        for (size_t i = 0; i < count; i++) {                                                                           \
            uint32_t q = values[i] + (uint32_t)offset, in = q < (uint32_t)range;                                       \
            q = in ? q : 0;                                                                                            \
            uint8_t bit = (uint8_t)((((uint32_t)words[q >> 5] >> (q & 31)) & in) ^ (negated ? 1u : 0u));               \
            mask[i] = combine ? (uint8_t)(mask[i] & bit) : bit;                                                        \
        }                                                                                                              \
    }
RB_BITMAP_TEST(rb_bitmap_test32, uint32_t)
RB_BITMAP_TEST(rb_bitmap_test16, uint16_t)
#undef RB_BITMAP_TEST
#endif
