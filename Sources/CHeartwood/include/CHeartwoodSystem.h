#ifndef C_HEARTWOOD_SYSTEM_H
#define C_HEARTWOOD_SYSTEM_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <sys/uio.h>
#endif

/* Calls that Swift can't make, or that differ between systems. They return 0 or an error number, unless stated
 * otherwise. */

/* Reserves blocks for `count` bytes from `offset` on. Extends the file if it is shorter: new bytes read as zeros,
 * existing bytes are kept. Returns EOPNOTSUPP if the file system can't do it. */
int heartwood_allocate(int descriptor, uint64_t offset, uint64_t count);

/* Returns how many names the file has.
 *
 * Requests no other attribute. Since Linux 6.13, the first write after a file's times were read stores a new time;
 * otherwise the time changes every few milliseconds. On ext4 without a journal, fdatasync then writes the inode too:
 * 30 of 120 us. */
int heartwood_link_count(int descriptor, uint64_t *count);

/* Like pread: returns -1 and sets errno on failure. On Linux it is not a cancellation point, which glibc's pread has
 * to set up on each call. This saves 3 % of a small read from the page cache. */
static inline ssize_t heartwood_read_at(int descriptor, void *buffer, size_t count, int64_t offset) {
#if defined(__linux__) && defined(SYS_pread64) && defined(__LP64__)
    return syscall(SYS_pread64, descriptor, buffer, count, offset);
#else
    return pread(descriptor, buffer, count, offset);
#endif
}

/* Like heartwood_read_at, but reads only what is in the page cache, and may return fewer bytes. Fails with EAGAIN if it
 * would have to wait for the disk; with EOPNOTSUPP or ENOSYS if the system or the file system can't tell. */
static inline ssize_t heartwood_read_now(int descriptor, void *buffer, size_t count, int64_t offset) {
#if defined(__linux__) && defined(SYS_preadv2) && defined(__LP64__)
    struct iovec part = {buffer, count};
    /* The kernel's RWF_NOWAIT, which older C libraries don't declare. */
    return syscall(SYS_preadv2, descriptor, &part, 1, offset, 0L, 0x8);
#else
    (void)descriptor, (void)buffer, (void)count, (void)offset;
    errno = ENOSYS;
    return -1;
#endif
}

/* Makes a file or directory durable. `data_only` leaves out metadata that is not needed to read the data back, if
 * the system makes that distinction. On Darwin both forms also flush the drive's cache, which Darwin's fsync does
 * not do. */
int heartwood_sync(int descriptor, bool data_only);

/* Starts writing a part of a file to the disk without waiting. With `wait`, also waits until the part is written.
 * Makes nothing durable. Does nothing if the system has no such call. */
void heartwood_write_back(int descriptor, uint64_t offset, uint64_t count, bool wait);

/* Whether two conditions hold: the file's blocks stay where they were allocated, so that a store to a mapping of
 * them can't fail for lack of space; and the system can populate mappings. False for file systems that copy on write
 * or allocate late, and for unknown ones. */
bool heartwood_keeps_in_place(int descriptor);

/* Brings pages of a shared mapping into memory, writable. Returns 0 or an error number. Never raises a signal. */
int heartwood_populate(void *start, size_t count);

/* Finds the first part of a file from `offset` on that is not a hole. `start` and `end` are equal if only a hole
 * follows, or nothing. If the system can't tell, the part extends to the end of the file. */
int heartwood_next_data(int descriptor, int64_t offset, int64_t *start, int64_t *end);

/* Asks the page cache to drop its pages of a file that are already on the disk. */
void heartwood_forget(int descriptor);

/* Returns how many bytes an ordinary process may still write to the file system of an open directory; to that of the
 * path, if the directory is AT_FDCWD. Returns -1 and sets errno if that is unknown. */
int64_t heartwood_available_bytes(int directory, const char *path);

/* Returns how many bytes of addresses or of private memory the process may have (RLIMIT_AS, RLIMIT_DATA: `ulimit
 * -v`, `ulimit -d`), the lower of the two. Returns UINT64_MAX if there is no limit. */
uint64_t heartwood_memory_limit(void);

/* Makes all threads share one heap. Otherwise glibc gives each thread its own heap and reserves 64 MiB of addresses
 * for it. Call this before the first thread is started. */
void heartwood_share_heap(void);

/* Raises the limit of open files to `wanted`, or as far as the process may (`ulimit -Hn`). Returns the limit that is
 * now in effect, or UINT64_MAX if it can't be read. */
uint64_t heartwood_raise_file_limit(uint64_t wanted);

/* Returns how many processors are online, or 1 if that is unknown. */
unsigned heartwood_processor_count(void);

/* A mutex and a condition variable, wrapped so that Swift code that is inlined into other modules does not name the
 * C library. Neither may move in memory after initialization. */
typedef struct {
    pthread_mutex_t value;
} heartwood_mutex;

typedef struct {
    pthread_cond_t value;
} heartwood_condition;

int heartwood_mutex_init(heartwood_mutex *mutex);
void heartwood_mutex_destroy(heartwood_mutex *mutex);

static inline void heartwood_mutex_lock(heartwood_mutex *mutex) { pthread_mutex_lock(&mutex->value); }
static inline void heartwood_mutex_unlock(heartwood_mutex *mutex) { pthread_mutex_unlock(&mutex->value); }

static inline bool heartwood_mutex_try_lock(heartwood_mutex *mutex) {
    return pthread_mutex_trylock(&mutex->value) == 0;
}

/* Like heartwood_thread_number, by pthread_self. */
uintptr_t heartwood_thread_number_of_system(void);

/* Returns a number that no other running thread has; never 0.
 *
 * The number is read at every call. glibc declares pthread_self as a function whose result never changes. A compiler
 * that relies on that keeps the number of the thread that a Swift task ran on before it was suspended. This code
 * reads what pthread_self reads: the first word of the thread's own block, which points to the block itself. */
static inline uintptr_t heartwood_thread_number(void) {
#if defined(__linux__) && defined(__x86_64__) && defined(__LP64__)
    uintptr_t number;
    __asm__ volatile("movq %%fs:0, %0" : "=r"(number));
    return number;
#elif defined(__linux__) && defined(__aarch64__)
    uintptr_t number;
    __asm__ volatile("mrs %0, tpidr_el0" : "=r"(number));
    return number;
#else
    return heartwood_thread_number_of_system();
#endif
}

/* Whether this thread has made calls for longer than a time slice since it last let others run. The clock is read
 * once for eight calls; `weight` says for how many calls this one counts.
 *
 * Not inlined: after a Swift task was suspended, thread-local data has another address, and a compiler may keep the
 * old one. */
bool heartwood_slice_is_over(unsigned weight);
/* Begins a slice of `nanoseconds`. */
void heartwood_slice_begin(uint64_t nanoseconds);

/* Timed waits on a condition variable use the monotonic clock. */
int heartwood_condition_init(heartwood_condition *condition);
void heartwood_condition_destroy(heartwood_condition *condition);

static inline void heartwood_condition_signal(heartwood_condition *condition) {
    pthread_cond_signal(&condition->value);
}

static inline void heartwood_condition_broadcast(heartwood_condition *condition) {
    pthread_cond_broadcast(&condition->value);
}

/* Waits until signalled; may also return without a signal. The caller holds the mutex. */
static inline void heartwood_condition_wait(heartwood_condition *condition, heartwood_mutex *mutex) {
    pthread_cond_wait(&condition->value, &mutex->value);
}

/* Waits for at most `nanoseconds`. Returns ETIMEDOUT when they have passed. The caller holds the mutex. */
int heartwood_condition_wait_for(heartwood_condition *condition, heartwood_mutex *mutex, uint64_t nanoseconds);

/* Runs `body` on a new detached thread with that name (shortened to what the system allows). The thread blocks the
 * signals that are sent to the process. It takes only those that a thread raises itself, and SIGPROF. */
int heartwood_thread_start(const char *name, void (*body)(void *context), void *context);

/* Let other threads run: yield once, or sleep for some time below a second. */
static inline void heartwood_thread_yield(void) { sched_yield(); }
static inline void heartwood_thread_pause(long nanoseconds) {
    struct timespec time = {0, nanoseconds};
    nanosleep(&time, 0);
}

/// Sets bytes to zero. (In a debug build the standard library sets them one by one, through a witness table.)
static inline void heartwood_zero(void *bytes, size_t count) {
    __builtin_memset(bytes, 0, count);
}

#endif
