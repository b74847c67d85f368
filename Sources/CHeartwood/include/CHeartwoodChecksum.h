#ifndef C_HEARTWOOD_CHECKSUM_H
#define C_HEARTWOOD_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli), in its standard form: 0 is the checksum of no bytes, and the checksum of `a` followed by `b`
 * is heartwood_crc32c(heartwood_crc32c(0, a, ...), b, ...). Takes the fastest way that this processor has. */
uint32_t heartwood_crc32c(uint32_t crc, const void *bytes, size_t count);

/* The ways themselves, so that tests can hold them against each other. */

/* Whether the processor has CRC-32C instructions; without them the two functions below must not be called. */
bool heartwood_crc32c_has_hardware(void);

/* One chain of instructions: the fastest way for short runs. */
uint32_t heartwood_crc32c_hardware_serial(uint32_t crc, const void *bytes, size_t count);

/* Three chains side by side, which hides the latency of the instruction: the fastest way for long runs. */
uint32_t heartwood_crc32c_hardware_interleaved(uint32_t crc, const void *bytes, size_t count);

/* Tables, eight bytes at a time: for any processor. */
uint32_t heartwood_crc32c_portable(uint32_t crc, const void *bytes, size_t count);

#endif
