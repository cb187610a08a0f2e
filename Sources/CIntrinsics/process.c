#define _GNU_SOURCE
// Not intrinsics.h: it declares by itself what sched.h declares with _GNU_SOURCE.
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__GLIBC__)
void rb_heap_bound(int arenas, int mapped_from, int trimmed_from) {
    if (arenas > 0) mallopt(M_ARENA_MAX, arenas);
    mallopt(M_MMAP_THRESHOLD, mapped_from);
    mallopt(M_TRIM_THRESHOLD, trimmed_from);
}
void rb_heap_trim(void) { malloc_trim(0); }
void rb_heap_bytes(size_t *used, size_t *free) {
#if __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    *used = info.uordblks + info.hblkhd;
    *free = info.fordblks;
#else
    *used = *free = 0;
#endif
}
int rb_stack_release(size_t keep, size_t probe) {
    pthread_attr_t attributes;
    void *start;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    int known = pthread_attr_getstack(&attributes, &start, &size) == 0;
    pthread_attr_destroy(&attributes);
    if (!known) return 0;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), here = (size_t)&attributes, low = (size_t)start;
    if (here < low + probe + 2 * page || probe < keep) return 0;
    unsigned char resident = 0;
    if (mincore((void *)((here - probe) & ~(page - 1)), page, &resident) != 0 || !(resident & 1)) return 0;
    size_t end = (here - keep) & ~(page - 1);
    return madvise(start, end - low, MADV_DONTNEED) == 0;
}
#else
void rb_heap_bound(int arenas, int mapped_from, int trimmed_from) {}
void rb_heap_trim(void) {}
void rb_heap_bytes(size_t *used, size_t *free) { *used = *free = 0; }
int rb_stack_release(size_t keep, size_t probe) { return 0; }
#endif
