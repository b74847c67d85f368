internal import CHeartwood

/// CRC-32C (Castagnoli), the checksum of everything that Heartwood stores.
///
/// This is the standard form (RFC 3720): the checksum of no bytes is 0, that of "123456789" is `E3069283`. It uses the
/// processor's own instructions where there are any. All functions are O(count).
public enum CRC32C {
    /// The checksum of `bytes`, which follow bytes whose checksum is `crc`.
    ///
    /// The checksum of a concatenation is found piece by piece:
    /// `checksum(ab) == checksum(b, continuing: checksum(a))`.
    @inline(__always)
    public static func checksum(_ bytes: UnsafeRawBufferPointer, continuing crc: UInt32 = 0) -> UInt32 {
        heartwood_crc32c(crc, bytes.baseAddress, bytes.count)
    }

    /// The checksum of `bytes`, which follow bytes whose checksum is `crc`.
    public static func checksum(_ bytes: [UInt8], continuing crc: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0, continuing: crc) }
    }

    /// The checksum of `bytes`, which follow bytes whose checksum is `crc`.
    public static func checksum(_ bytes: RawSpan, continuing crc: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0, continuing: crc) }
    }
}
