internal import CHeartwood

/// CRC-32C (Castagnoli), the checksum of everything that Heartwood stores.
///
/// The standard form (RFC 3720): the checksum of no bytes is 0, that of "123456789" is `E3069283`. It uses the
/// processor's instructions if there are any. All functions are O(count).
public enum CRC32C {
    /// The checksum of `bytes`, which follow bytes whose checksum is `crc`.
    ///
    /// The checksum of a concatenation can be computed piece by piece: `checksum(ab) == checksum(b, continuing:
    /// checksum(a))`.
    @inline(__always)
    public static func checksum(_ bytes: UnsafeRawBufferPointer, continuing crc: UInt32 = 0) -> UInt32 {
        heartwood_crc32c(crc, bytes.baseAddress, bytes.count)
    }

    /// The checksum of `bytes`, which follow bytes whose checksum is `crc`.
    public static func checksum(_ bytes: [UInt8], continuing crc: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0, continuing: crc) }
    }

    /// The checksum of `count` zeros, which follow bytes whose checksum is `crc`. O(log count): the zeros need not
    /// exist.
    package static func checksum(zeros count: UInt64, continuing crc: UInt32) -> UInt32 {
        // A zero byte multiplies the checksum's register by x^8, modulo the polynomial.
        var (register, rest, power) = (~crc, count, 0x0080_0000 as UInt32)
        while rest > 0 {
            if rest & 1 == 1 { register = product(register, power) }
            power = product(power, power)
            rest >>= 1
        }
        return ~register
    }

    /// The product of two polynomials over GF(2), modulo the checksum's polynomial. The highest bit is the lowest
    /// power.
    private static func product(_ left: UInt32, _ right: UInt32) -> UInt32 {
        var (result, factor) = (0 as UInt32, left)
        for bit in (0..<32).reversed() {
            if right >> UInt32(bit) & 1 == 1 { result ^= factor }
            factor = factor & 1 == 1 ? factor >> 1 ^ 0x82F6_3B78 : factor >> 1
        }
        return result
    }

    /// The checksum of `bytes`, which follow bytes whose checksum is `crc`.
    public static func checksum(_ bytes: RawSpan, continuing crc: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0, continuing: crc) }
    }
}
