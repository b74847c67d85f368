#ifndef C_HEARTWOOD_SHARED_H
#define C_HEARTWOOD_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Access to memory that one thread writes while other threads read it without a lock: the nodes of the index and the
 * data that they point to.
 *
 * A reader ignores what it read until it has checked that the node's version did not change meanwhile (each node has
 * a sequence lock). So bytes may be read while they are written. The compiler must not read a value twice, or move a
 * read after the check. Aligned numbers are relaxed atomics, which cost nothing on 64-bit processors. Runs of bytes
 * are copied and compared by functions of the C library. The C standard does not allow that here, but it does no
 * harm: the results from torn bytes are discarded.
 *
 * The `checked` functions do the same with relaxed atomics, byte by byte for runs of bytes. They are in a file of
 * their own so that ThreadSanitizer sees each access: it instruments neither the C library's loops nor functions
 * that Swift inlines. */

static inline uint16_t heartwood_load16(const void *at) { return __atomic_load_n((const uint16_t *)at, __ATOMIC_RELAXED); }
static inline uint64_t heartwood_load64(const void *at) { return __atomic_load_n((const uint64_t *)at, __ATOMIC_RELAXED); }
static inline void heartwood_store16(void *at, uint16_t value) {
    __atomic_store_n((uint16_t *)at, value, __ATOMIC_RELAXED);
}
static inline void heartwood_store64(void *at, uint64_t value) {
    __atomic_store_n((uint64_t *)at, value, __ATOMIC_RELAXED);
}
static inline uint64_t heartwood_load64_acquire(const void *at) {
    return __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
}
static inline void heartwood_store64_release(void *at, uint64_t value) {
    __atomic_store_n((uint64_t *)at, value, __ATOMIC_RELEASE);
}
/* Reads after the fence are not moved ahead of reads that precede it. */
static inline void heartwood_fence_acquire(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
/* Writes after the fence are not moved ahead of writes that precede it. */
static inline void heartwood_fence_release(void) { __atomic_thread_fence(__ATOMIC_RELEASE); }

/* At any address; the value may be torn. */
static inline uint64_t heartwood_load64_unaligned(const void *at) {
    uint64_t value;
    __builtin_memcpy(&value, at, sizeof value);
    return value;
}
static inline void heartwood_store64_unaligned(void *at, uint64_t value) {
    __builtin_memcpy(at, &value, sizeof value);
}
/* Copy out of shared memory, and into it. */
static inline void heartwood_copy_out(void *to, const void *from, size_t count) { memcpy(to, from, count); }
static inline void heartwood_copy_in(void *to, const void *from, size_t count) { memcpy(to, from, count); }
/* Moves bytes within shared memory. The ranges may overlap. */
static inline void heartwood_move(void *to, const void *from, size_t count) { memmove(to, from, count); }
/* Like memcmp, for shared bytes and private bytes. */
static inline int heartwood_compare(const void *shared, const void *own, size_t count) {
    return memcmp(shared, own, count);
}

uint16_t heartwood_checked_load16(const void *at);
uint64_t heartwood_checked_load64(const void *at);
void heartwood_checked_store16(void *at, uint16_t value);
void heartwood_checked_store64(void *at, uint64_t value);
uint64_t heartwood_checked_load64_acquire(const void *at);
void heartwood_checked_store64_release(void *at, uint64_t value);
uint64_t heartwood_checked_load64_unaligned(const void *at);
void heartwood_checked_store64_unaligned(void *at, uint64_t value);
void heartwood_checked_copy_out(void *to, const void *from, size_t count);
void heartwood_checked_copy_in(void *to, const void *from, size_t count);
void heartwood_checked_move(void *to, const void *from, size_t count);
int heartwood_checked_compare(const void *shared, const void *own, size_t count);

/* Counters that many threads change, each counter at its own address. All threads see all `ordered` operations in
 * one order. */
static inline uint64_t heartwood_load64_ordered(const void *at) {
    return __atomic_load_n((const uint64_t *)at, __ATOMIC_SEQ_CST);
}
static inline uint64_t heartwood_add64_ordered(void *at, uint64_t value) {
    return __atomic_fetch_add((uint64_t *)at, value, __ATOMIC_SEQ_CST);
}
static inline uint64_t heartwood_add64_release(void *at, uint64_t value) {
    return __atomic_fetch_add((uint64_t *)at, value, __ATOMIC_RELEASE);
}
uint64_t heartwood_checked_load64_ordered(const void *at);
uint64_t heartwood_checked_add64_ordered(void *at, uint64_t value);
uint64_t heartwood_checked_add64_release(void *at, uint64_t value);

/* A small number for this thread, assigned in sequence: threads that run at the same time rarely share one. */
unsigned heartwood_thread_stripe(void);

/* Maps zeroed pages, aligned to 4,096 bytes. Returns NULL if the system has no memory. If the size is a multiple of
 * 2 MiB, so is the alignment. */
void *heartwood_pages_map(size_t count);
/* Allows the system to use large pages, if it supports them: at once for memory that is touched from now on, later
 * for the rest. */
void heartwood_pages_prefer_large(void *pages, size_t count);
void heartwood_pages_unmap(void *pages, size_t count);
/* Gives the memory back and keeps the addresses. Later reads return zeros or the old content. */
void heartwood_pages_give_back(void *pages, size_t count);

/* Prefetches the cache line of an address. The address may be invalid. */
static inline void heartwood_prefetch(const void *at) { __builtin_prefetch(at); }

/* Waits for some tens of cycles, for a loop that waits for another thread. */
static inline void heartwood_relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

#endif
