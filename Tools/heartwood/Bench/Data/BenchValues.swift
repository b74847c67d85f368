internal import Heartwood

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The values: pieces of a megabyte of random bytes, which can't be compressed. They fit into a processor's cache, and
/// are lent without a copy.
///
/// The invariant under `@unchecked Sendable`: the bytes are only read after `init`, and are freed with the last
/// reference.
final class BenchValues: @unchecked Sendable {
    /// A piece of the bytes. Don't use it after these values are gone.
    struct Value: ByteSource {
        fileprivate let bytes: UnsafeRawBufferPointer

        @inline(__always)
        func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
            try body(bytes)
        }
    }

    private static let positions = 1 << 20

    let byteCount: Int
    private let bytes: UnsafeMutableRawBufferPointer

    init(byteCount: Int, seed: UInt64) {
        self.byteCount = byteCount
        let words = (Self.positions + byteCount + 7) / 8
        bytes = .allocate(byteCount: words * 8, alignment: 64)
        var random = SplitMix64(seed: seed)
        for word in 0..<words { bytes.storeBytes(of: random.next(), toByteOffset: word * 8, as: UInt64.self) }
    }

    deinit { bytes.deallocate() }

    /// The value of a number. Consecutive numbers have values that don't touch in memory.
    @inline(__always)
    subscript(number: Int) -> Value {
        // Odd, so that all positions are used before one is used again.
        let start = number &* 0x9_E375 & (Self.positions - 1)
        return Value(bytes: UnsafeRawBufferPointer(rebasing: bytes[start..<start + byteCount]))
    }

    /// Whether these bytes are the value of the number.
    @inline(__always)
    func isValue(_ found: UnsafeRawBufferPointer, of number: Int) -> Bool {
        found.count == byteCount && memcmp(found.baseAddress!, self[number].bytes.baseAddress!, byteCount) == 0
    }
}
