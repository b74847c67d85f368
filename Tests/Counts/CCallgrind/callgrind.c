#include "CCallgrind.h"

#include <stdint.h>

/* The numbers of the requests, from valgrind.h and callgrind.h. */
#define RUNNING_ON_VALGRIND 0x1001
#define OF_CALLGRIND(number) ((uint64_t)'C' << 24 | (uint64_t)'T' << 16 | (number))
#define ZERO_STATS OF_CALLGRIND(1)
#define TOGGLE_COLLECT OF_CALLGRIND(2)
#define DUMP_STATS_AT OF_CALLGRIND(3)
#define START_INSTRUMENTATION OF_CALLGRIND(4)
#define STOP_INSTRUMENTATION OF_CALLGRIND(5)

/* The answer to a request; 0 without valgrind. The rotations cancel each other, and the exchange of a register with
 * itself has no effect. Only valgrind recognises the sequence. */
static uint64_t request(uint64_t number, uint64_t argument) {
    volatile uint64_t block[6] = {number, argument, 0, 0, 0, 0};
#if defined(__x86_64__) && defined(__linux__)
    uint64_t answer = 0;
    __asm__ volatile(
        "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
        : "+d"(answer)
        : "a"(&block[0])
        : "cc", "memory");
    return answer;
#elif defined(__aarch64__) && defined(__linux__)
    register uint64_t answer __asm__("x3") = 0;
    register volatile uint64_t *where __asm__("x4") = block;
    __asm__ volatile(
        "ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; ror x12, x12, #61; orr x10, x10, x10"
        : "+r"(answer)
        : "r"(where)
        : "cc", "memory", "x10", "x12");
    return answer;
#else
    (void)block;
    return 0;
#endif
}

bool heartwood_callgrind_is_there(void) { return request(RUNNING_ON_VALGRIND, 0) != 0; }

void heartwood_callgrind_begin(void) {
    request(START_INSTRUMENTATION, 0);
    request(ZERO_STATS, 0);
    request(TOGGLE_COLLECT, 0);
}

void heartwood_callgrind_end(void) {
    request(TOGGLE_COLLECT, 0);
    request(STOP_INSTRUMENTATION, 0);
}

void heartwood_callgrind_dump(const char *label) { request(DUMP_STATS_AT, (uint64_t)(uintptr_t)label); }
