#define _DEFAULT_SOURCE
#include "CHeartwood.h"

#include <stdatomic.h>
#include <sys/mman.h>

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

/* The forms for ThreadSanitizer. They do the same as those in the header, but are compiled here, where each access
 * is instrumented. */

uint16_t heartwood_checked_load16(const void *at) { return heartwood_load16(at); }
uint64_t heartwood_checked_load64(const void *at) { return heartwood_load64(at); }
void heartwood_checked_store16(void *at, uint16_t value) { heartwood_store16(at, value); }
void heartwood_checked_store64(void *at, uint64_t value) { heartwood_store64(at, value); }
uint64_t heartwood_checked_load64_acquire(const void *at) { return heartwood_load64_acquire(at); }
void heartwood_checked_store64_release(void *at, uint64_t value) { heartwood_store64_release(at, value); }
uint64_t heartwood_checked_load64_ordered(const void *at) { return heartwood_load64_ordered(at); }
uint64_t heartwood_checked_add64_ordered(void *at, uint64_t value) { return heartwood_add64_ordered(at, value); }
uint64_t heartwood_checked_add64_release(void *at, uint64_t value) { return heartwood_add64_release(at, value); }

static inline unsigned char load8(const unsigned char *at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
static inline void store8(unsigned char *at, unsigned char value) { __atomic_store_n(at, value, __ATOMIC_RELAXED); }

void heartwood_checked_copy_out(void *to, const void *from, size_t count) {
    for (size_t i = 0; i < count; i++) ((unsigned char *)to)[i] = load8((const unsigned char *)from + i);
}

void heartwood_checked_copy_in(void *to, const void *from, size_t count) {
    for (size_t i = 0; i < count; i++) store8((unsigned char *)to + i, ((const unsigned char *)from)[i]);
}

void heartwood_checked_move(void *to, const void *from, size_t count) {
    unsigned char *target = to;
    const unsigned char *source = from;
    if (target < source) {
        for (size_t i = 0; i < count; i++) store8(target + i, load8(source + i));
    } else {
        for (size_t i = count; i > 0; i--) store8(target + i - 1, load8(source + i - 1));
    }
}

int heartwood_checked_compare(const void *shared, const void *own, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int difference = load8((const unsigned char *)shared + i) - ((const unsigned char *)own)[i];
        if (difference != 0) return difference;
    }
    return 0;
}

uint64_t heartwood_checked_load64_unaligned(const void *at) {
    uint64_t value;
    heartwood_checked_copy_out(&value, at, sizeof value);
    return value;
}

void heartwood_checked_store64_unaligned(void *at, uint64_t value) {
    heartwood_checked_copy_in(at, &value, sizeof value);
}

unsigned heartwood_thread_stripe(void) {
    static atomic_uint next;
    static _Thread_local unsigned stripe;
    if (stripe == 0) stripe = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed) + 1;
    return stripe;
}

/* The usual size of a large page. */
#define LARGE_PAGE ((size_t)2 << 20)

void *heartwood_pages_map(size_t count) {
    /* Large pages need the alignment of a large page. The unaligned pages at both ends are unmapped at once. */
    size_t slack = count % LARGE_PAGE == 0 ? LARGE_PAGE : 0;
    void *pages = mmap(NULL, count + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return NULL;
    if (slack == 0) return pages;
    uintptr_t start = (uintptr_t)pages;
    uintptr_t aligned = (start + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
    if (aligned > start) munmap(pages, aligned - start);
    if (start + slack > aligned) munmap((void *)(aligned + count), start + slack - aligned);
    return (void *)aligned;
}

void heartwood_pages_prefer_large(void *pages, size_t count) {
#ifdef MADV_HUGEPAGE
    madvise(pages, count, MADV_HUGEPAGE);
#else
    (void)pages, (void)count;
#endif
}

void heartwood_pages_unmap(void *pages, size_t count) { munmap(pages, count); }

void heartwood_pages_give_back(void *pages, size_t count) {
#ifdef __APPLE__
    madvise(pages, count, MADV_FREE);
#else
    madvise(pages, count, MADV_DONTNEED);
#endif
}
