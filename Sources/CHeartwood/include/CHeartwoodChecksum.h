#ifndef C_HEARTWOOD_CHECKSUM_H
#define C_HEARTWOOD_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Computes CRC-32C (Castagnoli) in its standard form, with the fastest implementation for this processor. The
 * checksum of no bytes is 0. The checksum of `a` followed by `b` is heartwood_crc32c(heartwood_crc32c(0, a, ...), b,
 * ...). */
uint32_t heartwood_crc32c(uint32_t crc, const void *bytes, size_t count);

/* The implementations are declared so that tests can compare them. */

/* Whether the processor has CRC-32C instructions. Without them, do not call the next two functions. */
bool heartwood_crc32c_has_hardware(void);

/* One chain of instructions: fastest for short input. */
uint32_t heartwood_crc32c_hardware_serial(uint32_t crc, const void *bytes, size_t count);

/* Three chains in parallel, which hides the latency of the instruction: fastest for long input. */
uint32_t heartwood_crc32c_hardware_interleaved(uint32_t crc, const void *bytes, size_t count);

/* Tables, eight bytes at a time: for every processor. */
uint32_t heartwood_crc32c_portable(uint32_t crc, const void *bytes, size_t count);

#endif
