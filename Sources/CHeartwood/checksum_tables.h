/* Tables of the CRC-32C register, for checksum.c only.
 *
 * Each table entry is the result of feeding N zero bytes to a register in which only one byte is set. The result is
 * linear in the bits of that byte. So the source has eight numbers per table (the results for bits 0 to 7), and the
 * compiler computes the 256 entries. The eight numbers follow from the definition of the reflected polynomial:
 *
 *     repeat 8 * N times: register = (register >> 1) ^ (register & 1 ? 0x82F63B78 : 0)
 *
 * The tests compare all implementations with each other at every length, which detects a wrong number. */
#ifndef HEARTWOOD_CHECKSUM_TABLES_H
#define HEARTWOOD_CHECKSUM_TABLES_H

#include <stdint.h>

#define BIT(n, i, value) (((n) >> (i)) & 1 ? (value) : 0u)
#define ENTRY(n, b0, b1, b2, b3, b4, b5, b6, b7)                                                                       \
    (BIT(n, 0, b0) ^ BIT(n, 1, b1) ^ BIT(n, 2, b2) ^ BIT(n, 3, b3) ^ BIT(n, 4, b4) ^ BIT(n, 5, b5) ^ BIT(n, 6, b6) ^   \
     BIT(n, 7, b7))
#define ENTRIES4(n, ...)                                                                                               \
    ENTRY((n), __VA_ARGS__), ENTRY((n) + 1, __VA_ARGS__), ENTRY((n) + 2, __VA_ARGS__), ENTRY((n) + 3, __VA_ARGS__)
#define ENTRIES16(n, ...)                                                                                              \
    ENTRIES4((n), __VA_ARGS__), ENTRIES4((n) + 4, __VA_ARGS__), ENTRIES4((n) + 8, __VA_ARGS__),                        \
        ENTRIES4((n) + 12, __VA_ARGS__)
#define ENTRIES64(n, ...)                                                                                              \
    ENTRIES16((n), __VA_ARGS__), ENTRIES16((n) + 16, __VA_ARGS__), ENTRIES16((n) + 32, __VA_ARGS__),                   \
        ENTRIES16((n) + 48, __VA_ARGS__)
#define BYTE_TABLE(...)                                                                                                \
    {ENTRIES64(0, __VA_ARGS__), ENTRIES64(64, __VA_ARGS__), ENTRIES64(128, __VA_ARGS__), ENTRIES64(192, __VA_ARGS__)}

/* Slice-by-8: table k has the results for the lowest byte of the register after k + 1 zero bytes. */
static const uint32_t slice_tables[8][256] = {
    BYTE_TABLE(
        0xF26B8303, 0xE13B70F7, 0xC79A971F, 0x8AD958CF,
        0x105EC76F, 0x20BD8EDE, 0x417B1DBC, 0x82F63B78),
    BYTE_TABLE(
        0x13A29877, 0x274530EE, 0x4E8A61DC, 0x9D14C3B8,
        0x3FC5F181, 0x7F8BE302, 0xFF17C604, 0xFBC3FAF9),
    BYTE_TABLE(
        0xA541927E, 0x4F6F520D, 0x9EDEA41A, 0x38513EC5,
        0x70A27D8A, 0xE144FB14, 0xC76580D9, 0x8B277743),
    BYTE_TABLE(
        0xDD45AAB8, 0xBF672381, 0x7B2231F3, 0xF64463E6,
        0xE964B13D, 0xD725148B, 0xABA65FE7, 0x52A0C93F),
    BYTE_TABLE(
        0x38116FAC, 0x7022DF58, 0xE045BEB0, 0xC5670B91,
        0x8F2261D3, 0x1BA8B557, 0x37516AAE, 0x6EA2D55C),
    BYTE_TABLE(
        0xEF306B19, 0xDB8CA0C3, 0xB2F53777, 0x6006181F,
        0xC00C303E, 0x85F4168D, 0x0E045BEB, 0x1C08B7D6),
    BYTE_TABLE(
        0x68032CC8, 0xD0065990, 0xA5E0C5D1, 0x4E2DFD53,
        0x9C5BFAA6, 0x3D5B83BD, 0x7AB7077A, 0xF56E0EF4),
    BYTE_TABLE(
        0x493C7D27, 0x9278FA4E, 0x211D826D, 0x423B04DA,
        0x847609B4, 0x0D006599, 0x1A00CB32, 0x34019664),
};

/* Table k has the results for byte k of the register after SHORT_BLOCK = 256 zero bytes. */
static const uint32_t shift_short_tables[4][256] = {
    BYTE_TABLE(
        0xDCB17AA4, 0xBC8E83B9, 0x7CF17183, 0xF9E2E306,
        0xF629B0FD, 0xE9BF170B, 0xD69258E7, 0xA8C8C73F),
    BYTE_TABLE(
        0x547DF88F, 0xA8FBF11E, 0x541B94CD, 0xA837299A,
        0x558225C5, 0xAB044B8A, 0x53E4E1E5, 0xA7C9C3CA),
    BYTE_TABLE(
        0x4A7FF165, 0x94FFE2CA, 0x2C13B365, 0x582766CA,
        0xB04ECD94, 0x6571EDD9, 0xCAE3DBB2, 0x902BC195),
    BYTE_TABLE(
        0x25BBF5DB, 0x4B77EBB6, 0x96EFD76C, 0x2833D829,
        0x5067B052, 0xA0CF60A4, 0x4472B7B9, 0x88E56F72),
};

/* Table k has the results for byte k of the register after LONG_BLOCK = 8192 zero bytes. */
static const uint32_t shift_long_tables[4][256] = {
    BYTE_TABLE(
        0xE040E0AC, 0xC56DB7A9, 0x8F3719A3, 0x1B8245B7,
        0x37048B6E, 0x6E0916DC, 0xDC122DB8, 0xBDC82D81),
    BYTE_TABLE(
        0x7E7C2DF3, 0xFCF85BE6, 0xFC1CC13D, 0xFDD5F48B,
        0xFE479FE7, 0xF963493F, 0xF72AE48F, 0xEBB9BFEF),
    BYTE_TABLE(
        0xD29F092F, 0xA0D264AF, 0x4448BFAF, 0x88917F5E,
        0x14CE884D, 0x299D109A, 0x533A2134, 0xA6744268),
    BYTE_TABLE(
        0x4904F221, 0x9209E442, 0x21FFBE75, 0x43FF7CEA,
        0x87FEF9D4, 0x0A118559, 0x14230AB2, 0x28461564),
};

#undef BIT
#undef ENTRY
#undef ENTRIES4
#undef ENTRIES16
#undef ENTRIES64
#undef BYTE_TABLE

#endif
