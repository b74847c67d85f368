#ifndef C_HEARTWOOD_SYSTEM_H
#define C_HEARTWOOD_SYSTEM_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

/* Calls that Swift can't reach or that differ from system to system. They return 0 or the error's number, unless said otherwise. */

/* Reserves blocks for `count` bytes from `offset` on. Extends the file where it is shorter; what is new reads as
 * zeros, what was there stays. EOPNOTSUPP where the file system can't. */
int heartwood_allocate(int descriptor, uint64_t offset, uint64_t count);

/* How many names the file has.
 *
 * Asks for nothing else. Since Linux 6.13, once a file's times were read, the next write stores a new time; otherwise the
 * time changes every few milliseconds. On ext4 without a journal fdatasync then writes the inode too: 30 of 120 us. */
int heartwood_link_count(int descriptor, uint64_t *count);

/* As pread, and so -1 and errno where it fails. On Linux it is no point at which a thread can be cancelled, which glibc's has to prepare for at each call: a
 * read of a small record from the page cache takes 3 % less. */
static inline ssize_t heartwood_read_at(int descriptor, void *buffer, size_t count, int64_t offset) {
#if defined(__linux__) && defined(SYS_pread64) && defined(__LP64__)
    return syscall(SYS_pread64, descriptor, buffer, count, offset);
#else
    return pread(descriptor, buffer, count, offset);
#endif
}

/* Makes a file or directory durable. `data_only` leaves out metadata that isn't needed to read the data back, where
 * the system knows the difference. On Darwin both empty the drive's cache too, which its fsync does not. */
int heartwood_sync(int descriptor, bool data_only);

/* Starts writing a part of a file to the disk, without waiting for it; with `wait`, waits until what was started before is
 * written. Makes nothing durable. Does nothing where the system has no such call. */
void heartwood_write_back(int descriptor, uint64_t offset, uint64_t count, bool wait);

/* Whether a file's blocks stay where they were allocated, so that what is stored to a mapping of them can't fail for want of
 * space, and whether the system can populate mappings. File systems that copy on write or allocate late are not among them,
 * nor are those that aren't known. */
bool heartwood_keeps_in_place(int descriptor);

/* Brings pages of a shared mapping into memory, writable. 0 or an error number: never a signal. */
int heartwood_populate(void *start, size_t count);

/* Finds the first part of a file from `offset` on that isn't a hole. `start` and `end` are equal where only a hole
 * follows, or nothing. Where the system can't tell, all up to the end of the file is such a part. */
int heartwood_next_data(int descriptor, int64_t offset, int64_t *start, int64_t *end);

/* Lets the page cache forget what it has of a file, as far as it is on the disk. */
void heartwood_forget(int descriptor);

/* Bytes that an ordinary process may still write to the file system of a path; -1 and errno where that can't be told. */
int64_t heartwood_available_bytes(const char *path);

/* How many bytes of addresses or of private memory the process may have (RLIMIT_AS, RLIMIT_DATA: `ulimit -v`, `ulimit -d`),
 * the lower of the two; UINT64_MAX where there is no limit. */
uint64_t heartwood_memory_limit(void);

/* Lets all threads share one heap. glibc gives each thread one of its own otherwise, and reserves 64 MiB of addresses for it.
 * To be called before the first thread is started. */
void heartwood_share_heap(void);

/* Raises the limit of open files to `wanted`, as far as the process may (`ulimit -Hn`), and returns what it is now. */
uint64_t heartwood_raise_file_limit(uint64_t wanted);

/* How many processors run now; 1 where that can't be told. */
unsigned heartwood_processor_count(void);

/* A mutex and a condition variable, wrapped so that Swift code that is inlined into other modules names nothing of the
 * C library. Neither may move in memory once it is initialised. */
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

/* The same as the next one, as the system has it. */
uintptr_t heartwood_thread_number_of_system(void);

/* A number that no other running thread has; never 0.
 *
 * Read anew at every call: glibc declares pthread_self as a function whose result never changes, and a compiler that
 * believes it keeps the number of the thread that a Swift task was on before it was suspended. What is read here is what
 * pthread_self reads: the first word of the thread's own block points to the block itself. */
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

/* Whether this thread has done calls for longer than a time slice since it last let others run. The clock is read once for
 * eight calls; 'weight' says how many this one counts for.
 *
 * Not inlined: what is the thread's own has another address after a Swift task was suspended, and a compiler may keep the
 * old one. */
bool heartwood_slice_is_over(unsigned weight);
/* Begins a slice of so many nanoseconds. */
void heartwood_slice_begin(uint64_t nanoseconds);

/* Waits of a condition variable are timed by the monotonic clock. */
int heartwood_condition_init(heartwood_condition *condition);
void heartwood_condition_destroy(heartwood_condition *condition);

static inline void heartwood_condition_signal(heartwood_condition *condition) {
    pthread_cond_signal(&condition->value);
}

static inline void heartwood_condition_broadcast(heartwood_condition *condition) {
    pthread_cond_broadcast(&condition->value);
}

/* Waits until signalled, or for no reason. The caller holds the mutex. */
static inline void heartwood_condition_wait(heartwood_condition *condition, heartwood_mutex *mutex) {
    pthread_cond_wait(&condition->value, &mutex->value);
}

/* Waits for at most `nanoseconds`; ETIMEDOUT when they have passed. The caller holds the mutex. */
int heartwood_condition_wait_for(heartwood_condition *condition, heartwood_mutex *mutex, uint64_t nanoseconds);

/* Runs `body` on a new detached thread with that name (cut to what the system allows). Signals are left to the
 * program's own threads, except for those that a thread raises itself. */
int heartwood_thread_start(const char *name, void (*body)(void *context), void *context);

/* Let other threads run: for a turn, or for some time below a second. */
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
