#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The order of keys: by unsigned bytes; a key that is a prefix of another comes first.
package enum KeyOrder {
    /// The first eight bytes as one number; short keys are padded with zeros.
    ///
    /// If two heads differ, the keys are in the order of their heads: a padding zero is never greater than the byte
    /// that the longer key has there. Equal heads decide nothing: "a" and "a\0" have the same head.
    @inlinable
    @inline(__always)
    package static func head(of key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 8 {
            return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
        }
        var head: UInt64 = 0
        for byte in key {
            head = head << 8 | UInt64(byte)
        }
        return head << UInt64(8 * (8 - key.count))
    }

    /// Negative if `a` comes before `b`, 0 if they are equal, positive otherwise.
    @inlinable
    package static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let common = min(a.count, b.count)
        if common > 0, let a = a.baseAddress, let b = b.baseAddress {
            let order = memcmp(a, b, common)
            if order != 0 { return Int(order) }
        }
        return a.count - b.count
    }

    @inlinable
    package static func compare(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a.withUnsafeBytes { a in b.withUnsafeBytes { b in compare(a, b) } }
    }
}
