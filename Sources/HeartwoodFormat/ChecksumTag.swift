/// Binds a checksum to its position.
///
/// A stored checksum is the plain CRC-32C, xored with the file's salt and the item's file offset divided by 8. So the
/// CRC of an item can be computed before its position is known, and one xor then binds it. Bytes of another file, of an
/// earlier use of the same disk blocks, or of another position in this file do not verify.
public struct ChecksumTag: Sendable, Hashable {
    /// The value that is xored with the CRC.
    public let mask: UInt32

    /// The tag of an item at `offset` of the file with this salt.
    @inlinable
    @inline(__always)
    public init(salt: UInt32, offset: UInt64) {
        mask = salt ^ UInt32(truncatingIfNeeded: offset >> 3)
    }

    /// Whether items that verify under one salt may be items of another salt that were moved within this many bytes.
    package static func mayBeMoved(_ salt: UInt32, from other: UInt32, within size: UInt64) -> Bool {
        unmoved(salt, within: size) == unmoved(other, within: size)
    }

    /// The bits of a salt that an item still gives after it was moved within this many bytes.
    package static func unmoved(_ salt: UInt32, within size: UInt64) -> UInt64 {
        UInt64(salt) >> (UInt64.bitWidth - (size >> 3).leadingZeroBitCount)
    }

    /// The checksum in stored form. As it is an xor, it also converts a stored checksum back.
    @inlinable
    @inline(__always)
    public func apply(_ crc: UInt32) -> UInt32 { crc ^ mask }
}
