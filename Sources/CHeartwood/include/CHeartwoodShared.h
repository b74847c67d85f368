#ifndef C_HEARTWOOD_SHARED_H
#define C_HEARTWOOD_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Memory that one thread writes while others read it without a lock: the nodes of the index and what hangs on them.
 *
 * Readers take what they read for nothing before they have seen that the node's version didn't change meanwhile (a
 * sequence lock for each node). So bytes may be read while they are being written; what must not happen is that the
 * compiler reads one twice, or moves a read behind the check. Numbers that lie aligned are relaxed atomics, which cost
 * nothing on any processor with 64 bits; runs of bytes are copied and compared by the C library's functions, which the
 * C standard doesn't allow here and which do no harm: what they made of torn bytes is thrown away.
 *
 * The `checked` forms are the same, byte by byte with relaxed atomics, in a file of their own, so that ThreadSanitizer
 * sees each access: it instruments neither the C library's loops as such nor functions that Swift inlines. */

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
/* What was read before stays before what is read behind. */
static inline void heartwood_fence_acquire(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
/* What was written before stays before what is written behind. */
static inline void heartwood_fence_release(void) { __atomic_thread_fence(__ATOMIC_RELEASE); }

/* At any address; may be torn. */
static inline uint64_t heartwood_load64_unaligned(const void *at) {
    uint64_t value;
    __builtin_memcpy(&value, at, sizeof value);
    return value;
}
static inline void heartwood_store64_unaligned(void *at, uint64_t value) {
    __builtin_memcpy(at, &value, sizeof value);
}
/* Out of shared memory and into it. */
static inline void heartwood_copy_out(void *to, const void *from, size_t count) { memcpy(to, from, count); }
static inline void heartwood_copy_in(void *to, const void *from, size_t count) { memcpy(to, from, count); }
/* Within shared memory; the two may overlap. */
static inline void heartwood_move(void *to, const void *from, size_t count) { memmove(to, from, count); }
/* As memcmp, of shared bytes with bytes of one's own. */
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

/* Counters that many threads move, each at an address of its own; all in one order that every thread sees. */
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

/* A small number of this thread's own, given out in turn: threads that run together rarely share one. */
unsigned heartwood_thread_stripe(void);

/* Pages of zeros, aligned to 4,096 bytes; NULL where the system has none. Multiples of 2 MiB are aligned to that. */
void *heartwood_pages_map(size_t count);
/* Lets the system make large pages of them, if it has such: of what is touched from now on at once, of the rest in its
 * own time. */
void heartwood_pages_prefer_large(void *pages, size_t count);
void heartwood_pages_unmap(void *pages, size_t count);
/* Gives the memory back, not the addresses: what is read there afterwards is zeros or what was there. */
void heartwood_pages_give_back(void *pages, size_t count);

/* Asks for the cache line of an address, which need not be one. */
static inline void heartwood_prefetch(const void *at) { __builtin_prefetch(at); }

/* Waits for some tens of cycles, in a loop that waits for another thread. */
static inline void heartwood_relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

#endif
