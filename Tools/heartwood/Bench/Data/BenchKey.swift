internal import Heartwood

/// A key of 16 bytes, computed from its number when it is needed. It takes no memory, and no two numbers have the same
/// key.
///
/// The first half puts consecutive numbers far apart. The second half contains the number, so that a reader of the key
/// knows its value.
struct BenchKey: ByteSource {
    static let byteCount = 16

    private let halves: (UInt64, UInt64)

    @inline(__always)
    init(_ number: Int) {
        let head = Self.head(number)
        halves = (head, UInt64(number) ^ SplitMix64.mixed(head))
    }

    /// The number of a key; nil if the bytes are not a key.
    @inline(__always)
    static func number(of key: UnsafeRawBufferPointer) -> Int? {
        guard key.count == byteCount else { return nil }
        let head = key.loadUnaligned(as: UInt64.self)
        let tail = key.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        guard let number = Int(exactly: tail ^ SplitMix64.mixed(head)), Self.head(number) == head else { return nil }
        return number
    }

    @inline(__always)
    func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try withUnsafeBytes(of: halves, body)
    }

    /// Big-endian is not needed: it would only give another random order.
    @inline(__always)
    private static func head(_ number: Int) -> UInt64 { SplitMix64.mixed(UInt64(number) &+ 0x5851_F42D_4C95_7F2D) }
}
