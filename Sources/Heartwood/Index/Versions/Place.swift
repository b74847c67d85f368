/// Where a record lies in the files, and how long it is, in one word of 63 bits.
///
/// ```
/// 63        block 1: the word names a `VersionBlock` instead
/// 62 … 10   address: number of the extent 30 │ offset in it, in eights 23
///  9 …  0   class of the length
/// ```
///
/// Addresses increase in the order in which records were written, so they also tell what a reader sees: everything up to
/// the address that was published. An extent is 64 MiB of a file; a larger file has several, one behind the other.
///
/// Snapshots have the lower half of all extents, logs the upper one: so a record that compaction has moved from a log to
/// a snapshot lies before every point that anybody reads at, whenever the snapshot was written.
package struct Place: Sendable, Hashable {
    /// The word; bit 63 is never set.
    var word: UInt64

    @inline(__always)
    init(word: UInt64) { self.word = word }

    /// - Parameter length: Bytes of the whole encoded record.
    @inline(__always)
    package init(address: UInt64, length: Int) {
        word = address << 10 | UInt64(LengthClass.of(length))
    }

    /// The extent and the offset in it: what is compared with a point that readers read at.
    @inline(__always)
    var address: UInt64 { word >> 10 }

    @inline(__always)
    var lengthClass: Int { Int(word & 0x3FF) }

    /// The record is no longer than this, and at least 15/16 of it; up to 4,088 bytes it is exact.
    @inline(__always)
    var lengthBound: Int { LengthClass.bound(lengthClass) }

    @inline(__always)
    var extent: Int { Int(address >> UInt64(Self.offsetBits)) }

    /// The first byte of the record in its extent.
    @inline(__always)
    var offsetInExtent: UInt64 { (address & (1 << UInt64(Self.offsetBits) - 1)) << 3 }

    static let offsetBits = 23
    /// Bytes of an extent.
    static let extentBytes: UInt64 = 8 << UInt64(offsetBits)
    /// How many extents an opening can number.
    static let extentLimit = 1 << 30
    /// The first extent that is a log's.
    static let firstLogExtent = 1 << 29

    /// Whether its record lies in a snapshot.
    @inline(__always)
    var isInSnapshot: Bool { extent < Self.firstLogExtent }

    /// The address of an offset of a file that begins with that extent.
    @inline(__always)
    static func address(extent: Int, offset: UInt64) -> UInt64 { UInt64(extent) << UInt64(offsetBits) + offset >> 3 }
}

/// Lengths in ten bits: multiples of eight up to 4,088 as they are, beyond that sixteen steps to each doubling.
enum LengthClass {
    @inline(__always)
    static func of(_ length: Int) -> Int {
        let eights = (length + 7) >> 3
        return eights < 512 ? eights : coarse(eights)
    }

    private static func coarse(_ eights: Int) -> Int {
        // The leading one and four bits, rounded up; a carry goes into the exponent as it should.
        let exponent = Int.bitWidth - 1 - eights.leadingZeroBitCount
        let shift = exponent - 4
        let rounded = (eights + (1 << shift) - 1) >> shift
        return min(1023, 512 + (exponent - 9) * 16 + (rounded - 16))
    }

    /// The greatest length of a class.
    @inline(__always)
    static func bound(_ code: Int) -> Int {
        if code < 512 { return code << 3 }
        let steps = code - 512
        return (16 + steps & 15) << (steps >> 4 + 8)
    }
}
