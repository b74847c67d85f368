/// Where a record is in the files, and how long it is, in 63 bits.
///
/// ```
/// 63        block 1: the word names a `VersionBlock` instead
/// 62 … 10   address: number of the extent 30 │ offset in it, in eights 23
///  9 …  0   class of the length
/// ```
///
/// Addresses increase in the order in which records were written. So they also decide what a reader sees: everything up
/// to the published address. An extent is 64 MiB of a file; a larger file has several consecutive ones.
///
/// Snapshots have the lower half of all extents, logs the upper half. So a record that compaction has moved to a
/// snapshot has an address below every read point, whenever the snapshot was written.
package struct RecordLocation: Sendable, Hashable {
    /// Bit 63 is never set.
    var word: UInt64

    @inline(__always)
    init(word: UInt64) { self.word = word }

    /// - Parameter length: Bytes of the whole encoded record.
    @inline(__always)
    package init(address: UInt64, length: Int) {
        word = address << 10 | UInt64(LengthClass.of(length))
    }

    /// The extent and the offset in it. Compared with read points.
    @inline(__always)
    var address: UInt64 { word >> 10 }

    @inline(__always)
    var lengthClass: Int { Int(word & 0x3FF) }

    /// The record is at most this long, and at least 15/16 of it.
    @inline(__always)
    var lengthBound: Int { LengthClass.bound(lengthClass) }

    /// Whether `lengthBound` is the record's length: it is up to 4,088 bytes.
    @inline(__always)
    var hasExactLength: Bool { lengthClass < LengthClass.firstInexact }

    /// Whether a record of this length can be here.
    @inline(__always)
    func fits(_ length: Int) -> Bool { LengthClass.of(length) == lengthClass }

    @inline(__always)
    var extent: Int { Int(address >> UInt64(Self.offsetBits)) }

    /// The offset of the record's first byte in its extent.
    @inline(__always)
    var offsetInExtent: UInt64 { (address & (1 << UInt64(Self.offsetBits) - 1)) << 3 }

    static let offsetBits = 23
    /// Bytes of an extent.
    static let extentBytes: UInt64 = 8 << UInt64(offsetBits)
    /// The number of extents that an opening can use.
    static let extentLimit = 1 << 30
    /// The first extent of logs.
    static let firstLogExtent = 1 << 29

    /// Whether the record is in a snapshot.
    @inline(__always)
    var isInSnapshot: Bool { extent < Self.firstLogExtent }

    /// The address of an offset in a file whose first extent is `extent`.
    @inline(__always)
    static func address(extent: Int, offset: UInt64) -> UInt64 { UInt64(extent) << UInt64(offsetBits) + offset >> 3 }
}

/// Lengths in ten bits: exact multiples of eight up to 4,088; above, sixteen steps for each doubling.
enum LengthClass {
    static let firstInexact = 512

    @inline(__always)
    static func of(_ length: Int) -> Int {
        let eights = (length + 7) >> 3
        return eights < firstInexact ? eights : coarse(eights)
    }

    private static func coarse(_ eights: Int) -> Int {
        // The leading one and four bits, rounded up. A carry goes into the exponent, which is correct.
        let exponent = Int.bitWidth - 1 - eights.leadingZeroBitCount
        let shift = exponent - 4
        let rounded = (eights + (1 << shift) - 1) >> shift
        return min(1023, firstInexact + (exponent - 9) * 16 + (rounded - 16))
    }

    /// The greatest length of a class.
    @inline(__always)
    static func bound(_ code: Int) -> Int {
        if code < firstInexact { return code << 3 }
        let steps = code - firstInexact
        return (16 + steps & 15) << (steps >> 4 + 8)
    }
}
