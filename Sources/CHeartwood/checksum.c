#include "CHeartwoodChecksum.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "checksum_tables.h"

/* Lengths of one of the three chains. checksum_tables.h has a shift table for each length. */
#define SHORT_BLOCK 256
#define LONG_BLOCK 8192

/* Each processor's names for the same four instructions. */
#if defined(__x86_64__)

#include <cpuid.h>
#include <nmmintrin.h>
#define HAS_INSTRUCTIONS 1
#define USES_INSTRUCTIONS __attribute__((target("sse4.2")))
#define CRC_8(crc, value) ((uint32_t)_mm_crc32_u64((crc), (value)))
#define CRC_4(crc, value) _mm_crc32_u32((crc), (value))
#define CRC_2(crc, value) _mm_crc32_u16((crc), (value))
#define CRC_1(crc, value) _mm_crc32_u8((crc), (value))

bool heartwood_crc32c_has_hardware(void) {
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_SSE4_2) != 0;
}

#elif defined(__aarch64__) && (defined(__ARM_FEATURE_CRC32) || defined(__linux__) || defined(__APPLE__))

#define HAS_INSTRUCTIONS 1
#define USES_INSTRUCTIONS __attribute__((target("crc")))
#define CRC_8(crc, value) __builtin_arm_crc32cd((crc), (value))
#define CRC_4(crc, value) __builtin_arm_crc32cw((crc), (value))
#define CRC_2(crc, value) __builtin_arm_crc32ch((crc), (value))
#define CRC_1(crc, value) __builtin_arm_crc32cb((crc), (value))

#if defined(__ARM_FEATURE_CRC32)

bool heartwood_crc32c_has_hardware(void) { return true; }

#elif defined(__APPLE__)

#include <sys/sysctl.h>

/* Some arm64 devices lack the instructions: the oldest Apple TV that runs tvOS 18 does. */
bool heartwood_crc32c_has_hardware(void) {
    int value = 0;
    size_t size = sizeof(value);
    return sysctlbyname("hw.optional.armv8_crc32", &value, &size, NULL, 0) == 0 && value != 0;
}

#else

#include <sys/auxv.h>

bool heartwood_crc32c_has_hardware(void) {
    const unsigned long hwcap_crc32 = 1 << 7;
    return (getauxval(AT_HWCAP) & hwcap_crc32) != 0;
}

#endif

#else

#define HAS_INSTRUCTIONS 0
bool heartwood_crc32c_has_hardware(void) { return false; }

#endif

/* Below, `state` is the bare register. `crc` is the checksum, which is the register's complement. */

static inline uint64_t load_8(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

static inline uint32_t load_4(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

static inline uint16_t load_2(const uint8_t *bytes) {
    uint16_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

uint32_t heartwood_crc32c_portable(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    uint32_t state = ~crc;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; count >= 8; count -= 8, next += 8) {
        const uint64_t word = load_8(next) ^ state;
        state = slice_tables[7][word & 0xFF] ^ slice_tables[6][(word >> 8) & 0xFF] ^
                slice_tables[5][(word >> 16) & 0xFF] ^ slice_tables[4][(word >> 24) & 0xFF] ^
                slice_tables[3][(word >> 32) & 0xFF] ^ slice_tables[2][(word >> 40) & 0xFF] ^
                slice_tables[1][(word >> 48) & 0xFF] ^ slice_tables[0][word >> 56];
    }
#endif
    for (; count > 0; count--, next++) {
        state = (state >> 8) ^ slice_tables[0][(state ^ *next) & 0xFF];
    }
    return ~state;
}

#if HAS_INSTRUCTIONS

USES_INSTRUCTIONS static inline uint32_t serial(uint32_t state, const uint8_t *next, size_t count) {
    for (; count >= 8; count -= 8, next += 8) {
        state = CRC_8(state, load_8(next));
    }
    if (count & 4) {
        state = CRC_4(state, load_4(next));
        next += 4;
    }
    if (count & 2) {
        state = CRC_2(state, load_2(next));
        next += 2;
    }
    if (count & 1) {
        state = CRC_1(state, *next);
    }
    return state;
}

/* Returns the register after the number of zero bytes that the tables are made for. */
static inline uint32_t shift(const uint32_t tables[4][256], uint32_t state) {
    return tables[0][state & 0xFF] ^ tables[1][(state >> 8) & 0xFF] ^ tables[2][(state >> 16) & 0xFF] ^
           tables[3][state >> 24];
}

/* Processes three adjacent blocks in parallel. A CRC is linear: the register after `a b` is the register after `a`,
 * advanced by as many zero bytes as `b` has, xored with the register after `b` alone. */
USES_INSTRUCTIONS static inline uint32_t three_blocks(
    uint32_t state, const uint8_t *next, size_t block, const uint32_t tables[4][256]) {
    uint32_t second = 0, third = 0;
    for (const uint8_t *end = next + block; next < end; next += 8) {
        state = CRC_8(state, load_8(next));
        second = CRC_8(second, load_8(next + block));
        third = CRC_8(third, load_8(next + 2 * block));
    }
    state = shift(tables, state) ^ second;
    return shift(tables, state) ^ third;
}

USES_INSTRUCTIONS static inline uint32_t interleaved(uint32_t state, const uint8_t *next, size_t count) {
    for (; count >= 3 * LONG_BLOCK; count -= 3 * LONG_BLOCK, next += 3 * LONG_BLOCK) {
        state = three_blocks(state, next, LONG_BLOCK, shift_long_tables);
    }
    for (; count >= 3 * SHORT_BLOCK; count -= 3 * SHORT_BLOCK, next += 3 * SHORT_BLOCK) {
        state = three_blocks(state, next, SHORT_BLOCK, shift_short_tables);
    }
    return serial(state, next, count);
}

USES_INSTRUCTIONS uint32_t heartwood_crc32c_hardware_serial(uint32_t crc, const void *bytes, size_t count) {
    return ~serial(~crc, bytes, count);
}

USES_INSTRUCTIONS uint32_t heartwood_crc32c_hardware_interleaved(uint32_t crc, const void *bytes, size_t count) {
    return ~interleaved(~crc, bytes, count);
}

USES_INSTRUCTIONS static uint32_t hardware(uint32_t crc, const void *bytes, size_t count) {
    if (count < 3 * SHORT_BLOCK) {
        return ~serial(~crc, bytes, count);
    }
    return ~interleaved(~crc, bytes, count);
}

#else

uint32_t heartwood_crc32c_hardware_serial(uint32_t crc, const void *bytes, size_t count) {
    (void)crc, (void)bytes, (void)count;
    abort();
}

uint32_t heartwood_crc32c_hardware_interleaved(uint32_t crc, const void *bytes, size_t count) {
    (void)crc, (void)bytes, (void)count;
    abort();
}

#endif

typedef uint32_t (*implementation)(uint32_t, const void *, size_t);

static uint32_t choose(uint32_t crc, const void *bytes, size_t count);

/* The first call replaces `choose` with the chosen implementation. Threads that race here store the same pointer, so
 * relaxed memory order is enough. */
static _Atomic(implementation) chosen = choose;

static uint32_t choose(uint32_t crc, const void *bytes, size_t count) {
    implementation best = heartwood_crc32c_portable;
#if HAS_INSTRUCTIONS
    if (heartwood_crc32c_has_hardware()) {
        best = hardware;
    }
#endif
    atomic_store_explicit(&chosen, best, memory_order_relaxed);
    return best(crc, bytes, count);
}

uint32_t heartwood_crc32c(uint32_t crc, const void *bytes, size_t count) {
    return atomic_load_explicit(&chosen, memory_order_relaxed)(crc, bytes, count);
}
