/// What binds a checksum to its place.
///
/// A stored checksum is the plain CRC-32C, xored with the file's salt and the item's file offset divided by 8. Whoever
/// encodes an item computes the CRC before the place is known, and one xor binds it there; bytes of another file, of an
/// old life of the same blocks, or of another place in this file do not verify.
public struct ChecksumTag: Sendable, Hashable {
    /// The value that is xored with the CRC.
    public let mask: UInt32

    /// The tag of an item that starts at `offset` of the file with this salt.
    @inlinable
    @inline(__always)
    public init(salt: UInt32, offset: UInt64) {
        mask = salt ^ UInt32(truncatingIfNeeded: offset >> 3)
    }

    /// Whether items that verify under a salt may be those of another one that were moved within so many bytes.
    package static func mayBeMoved(_ salt: UInt32, from other: UInt32, within size: UInt64) -> Bool {
        UInt64(salt ^ other).leadingZeroBitCount >= (size >> 3).leadingZeroBitCount
    }

    /// The checksum as it is stored (and, being an xor, back again).
    @inlinable
    @inline(__always)
    public func apply(_ crc: UInt32) -> UInt32 { crc ^ mask }
}
