#define _GNU_SOURCE
#include "CHeartwoodSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Files */

int heartwood_link_count(int descriptor, uint64_t *count) {
#if defined(__linux__) && defined(STATX_NLINK)
    struct statx found;
    if (statx(descriptor, "", AT_EMPTY_PATH, STATX_NLINK, &found) == 0) {
        *count = found.stx_nlink;
        return 0;
    }
    /* Some sandboxes refuse statx. */
    if (errno != ENOSYS && errno != EPERM) {
        return errno;
    }
#endif
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return errno;
    }
    *count = status.st_nlink;
    return 0;
}

#if defined(__APPLE__)

int heartwood_allocate(int descriptor, uint64_t offset, uint64_t count) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return errno;
    }
    if (offset > INT64_MAX || count > INT64_MAX - offset) {
        return EFBIG;
    }
    const off_t end = (off_t)(offset + count);
    if (end <= status.st_size) {
        return 0;
    }
    fstore_t request = {
        .fst_flags = F_ALLOCATEALL,
        .fst_posmode = F_PEOFPOSMODE,
        .fst_offset = 0,
        .fst_length = end - status.st_size,
    };
    if (fcntl(descriptor, F_PREALLOCATE, &request) == -1) {
        return errno == ENOTSUP ? EOPNOTSUPP : errno;
    }
    return ftruncate(descriptor, end) == 0 ? 0 : errno;
}

int heartwood_sync(int descriptor, bool data_only) {
    (void)data_only;
    if (fcntl(descriptor, F_FULLFSYNC) == 0) {
        return 0;
    }
    /* Fall back only if the file system does not support the call. A failed flush must remain a failure. */
    if (errno != ENOTSUP && errno != EOPNOTSUPP && errno != EINVAL && errno != ENOTTY) {
        return errno;
    }
    return fsync(descriptor) == 0 ? 0 : errno;
}

#else

int heartwood_allocate(int descriptor, uint64_t offset, uint64_t count) {
    if (offset > INT64_MAX || count > INT64_MAX - offset) {
        return EFBIG;
    }
    return fallocate(descriptor, 0, (off_t)offset, (off_t)count) == 0 ? 0 : errno;
}

int heartwood_sync(int descriptor, bool data_only) {
    return (data_only ? fdatasync(descriptor) : fsync(descriptor)) == 0 ? 0 : errno;
}

#endif

void heartwood_write_back(int descriptor, uint64_t offset, uint64_t count, bool wait) {
#if defined(__linux__)
    const unsigned int started = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    sync_file_range(descriptor, (off_t)offset, (off_t)count, wait ? started : SYNC_FILE_RANGE_WRITE);
#else
    (void)descriptor, (void)offset, (void)count, (void)wait;
#endif
}

#if defined(__linux__)
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* MADV_POPULATE_WRITE needs Linux 5.14 or later. */
static bool can_populate(void) {
    void *const page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return false;
    }
    const bool can = madvise(page, 4096, MADV_POPULATE_WRITE) == 0;
    munmap(page, 4096);
    return can;
}
#endif

bool heartwood_keeps_in_place(int descriptor) {
#if defined(__linux__)
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) {
        return false;
    }
    switch ((unsigned long)status.f_type) {
    case 0xEF53:     /* ext4 */
    case 0x58465342: /* XFS */
    case 0x01021994: /* tmpfs */
        return can_populate();
    }
#else
    (void)descriptor;
#endif
    return false;
}

int heartwood_populate(void *start, size_t count) {
#if defined(__linux__)
    while (madvise(start, count, MADV_POPULATE_WRITE) != 0) {
        if (errno == EFAULT) {
            return EIO; /* where touching the page would end the process */
        }
        if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
#else
    (void)start, (void)count;
    return ENOSYS;
#endif
}

int heartwood_next_data(int descriptor, int64_t offset, int64_t *start, int64_t *end) {
    *start = *end = offset;
#if defined(SEEK_DATA) && defined(SEEK_HOLE)
    const off_t data = lseek(descriptor, (off_t)offset, SEEK_DATA);
    if (data < 0 && errno == ENXIO) {
        return 0;
    }
    if (data >= offset) {
        const off_t hole = lseek(descriptor, data, SEEK_HOLE);
        if (hole > data) {
            *start = data;
            *end = hole;
            return 0;
        }
        /* The file may have been truncated meanwhile. Otherwise the system can't tell where data is. */
    }
#endif
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return errno;
    }
    if (status.st_size > offset) {
        *end = status.st_size;
    }
    return 0;
}

void heartwood_forget(int descriptor) {
#if defined(__APPLE__)
    (void)descriptor;
#else
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
#endif
}

int64_t heartwood_available_bytes(int directory, const char *path) {
    struct statvfs status;
    if ((directory == AT_FDCWD ? statvfs(path, &status) : fstatvfs(directory, &status)) != 0) {
        return -1;
    }
    return (int64_t)((uint64_t)status.f_bavail * (uint64_t)status.f_frsize);
}

/* Threads */

uintptr_t heartwood_thread_number_of_system(void) { return (uintptr_t)pthread_self(); }

int heartwood_mutex_init(heartwood_mutex *mutex) {
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
    /* Locks are held for less than a microsecond, while sleeping and waking takes tens: spin a few times first. */
    pthread_mutexattr_t attributes;
    int error = pthread_mutexattr_init(&attributes);
    if (error != 0) return error;
    error = pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    if (error == 0) error = pthread_mutex_init(&mutex->value, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return error;
#else
    return pthread_mutex_init(&mutex->value, NULL);
#endif
}

void heartwood_mutex_destroy(heartwood_mutex *mutex) { pthread_mutex_destroy(&mutex->value); }

void heartwood_condition_destroy(heartwood_condition *condition) { pthread_cond_destroy(&condition->value); }

int heartwood_condition_init(heartwood_condition *condition) {
#if defined(__APPLE__)
    /* Timed waits below are relative, and Darwin measures those by the monotonic clock. */
    return pthread_cond_init(&condition->value, NULL);
#else
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error != 0) {
        return error;
    }
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (error == 0) {
        error = pthread_cond_init(&condition->value, &attributes);
    }
    pthread_condattr_destroy(&attributes);
    return error;
#endif
}

int heartwood_condition_wait_for(heartwood_condition *condition, heartwood_mutex *mutex, uint64_t nanoseconds) {
    const uint64_t second = 1000000000, longest = 1000000000 * second;
    if (nanoseconds > longest) {
        nanoseconds = longest; /* 31 years: the sum below can't overflow */
    }
#if defined(__APPLE__)
    const struct timespec interval = {
        .tv_sec = (time_t)(nanoseconds / second),
        .tv_nsec = (long)(nanoseconds % second),
    };
    return pthread_cond_timedwait_relative_np(&condition->value, &mutex->value, &interval);
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t fraction = (uint64_t)now.tv_nsec + nanoseconds % second;
    const struct timespec deadline = {
        .tv_sec = now.tv_sec + (time_t)(nanoseconds / second + fraction / second),
        .tv_nsec = (long)(fraction % second),
    };
    return pthread_cond_timedwait(&condition->value, &mutex->value, &deadline);
#endif
}

struct start {
    char name[16]; /* Linux takes 15 characters */
    void (*body)(void *);
    void *context;
};

static void *run(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
#if defined(__APPLE__)
    pthread_setname_np(start.name);
#else
    pthread_setname_np(pthread_self(), start.name);
#endif
    start.body(start.context);
    return NULL;
}

/* All signals except those that mean a defect in the thread itself (a crash reporter needs them there), and a
 * profiler's. */
static void signals_to_block(sigset_t *signals) {
    static const int kept[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
    sigfillset(signals);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        sigdelset(signals, kept[i]);
    }
}

int heartwood_thread_start(const char *name, void (*body)(void *context), void *context) {
    const size_t smallest_stack = 1 << 20; /* musl's default of 128 KiB is tight for Swift */
    struct start *start = calloc(1, sizeof(*start));
    if (start == NULL) {
        return ENOMEM;
    }
    strncpy(start->name, name, sizeof(start->name) - 1);
    start->body = body;
    start->context = context;

    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0) {
        free(start);
        return error;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    size_t stack = 0;
    if (pthread_attr_getstacksize(&attributes, &stack) == 0 && stack < smallest_stack) {
        pthread_attr_setstacksize(&attributes, smallest_stack);
    }

    /* A new thread inherits the mask, so no signal reaches it before it runs. */
    sigset_t blocked, previous;
    signals_to_block(&blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, &previous);
    pthread_t thread;
    error = pthread_create(&thread, &attributes, run, start);
    pthread_sigmask(SIG_SETMASK, &previous, NULL);

    pthread_attr_destroy(&attributes);
    if (error != 0) {
        free(start);
    }
    return error;
}

static uint64_t limit_of(int resource) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    return limit.rlim_cur;
}

uint64_t heartwood_memory_limit(void) {
    uint64_t addresses = limit_of(RLIMIT_AS);
    uint64_t data = limit_of(RLIMIT_DATA);
    return addresses < data ? addresses : data;
}

void heartwood_share_heap(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
}

uint64_t heartwood_raise_file_limit(uint64_t wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return UINT64_MAX;
    if (limit.rlim_cur >= wanted) return limit.rlim_cur;
    uint64_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    return setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before;
}

unsigned heartwood_processor_count(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (unsigned)count : 1;
}

/* Time slices */

static _Thread_local struct {
    uint64_t end;
    unsigned calls;
} slice;

static uint64_t monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool heartwood_slice_is_over(unsigned weight) {
    slice.calls += weight;
    if (slice.calls < 8) {
        return false;
    }
    slice.calls = 0;
    return monotonic_nanoseconds() >= slice.end;
}

void heartwood_slice_begin(uint64_t nanoseconds) { slice.end = monotonic_nanoseconds() + nanoseconds; }
