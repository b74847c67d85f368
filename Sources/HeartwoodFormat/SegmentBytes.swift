/// The source of a segment's bytes: a file, a mapping, an array. The scanner's only I/O.
package protocol SegmentBytes {
    associatedtype Failure: Error
    /// The size of the file, in bytes.
    var count: UInt64 { get }
    /// Calls `body` with `count` bytes from `offset` on; fewer only at the end of the file.
    ///
    /// - Precondition: `count` is at most `SegmentScanner.windowBytes`.
    mutating func withBytes<R>(
        at offset: UInt64, count: Int, _ body: (UnsafeRawBufferPointer) -> R
    ) throws(Failure) -> R
    /// The next part, from `offset` on, that may contain something other than zeros; nil if only zeros follow.
    mutating func nextData(from offset: UInt64) throws(Failure) -> Range<UInt64>?
}

extension SegmentBytes {
    /// By default, no part of the source is a hole.
    package mutating func nextData(from offset: UInt64) throws(Failure) -> Range<UInt64>? {
        offset < count ? offset..<count : nil
    }

    /// Calls `body` with the bytes of a range that may not be zeros, in order, at most `most` at a time. Holes are
    /// skipped, so this is O(existing bytes).
    ///
    /// - Parameter body: Gets the offset of a piece and its bytes; false stops.
    /// - Returns: False if `body` stopped, or if the file ends before the range does.
    package mutating func forEachPiece(
        of range: Range<UInt64>, most: Int = 256 << 10, _ body: (UInt64, UnsafeRawBufferPointer) -> Bool
    ) throws(Failure) -> Bool {
        var at = range.lowerBound
        while at < range.upperBound, let data = try nextData(from: at), data.lowerBound < range.upperBound {
            at = max(at, data.lowerBound)
            let wanted = Int(min(UInt64(most), min(data.upperBound, range.upperBound) - at))
            let start = at
            guard try withBytes(at: start, count: wanted, { $0.count == wanted && body(start, $0) }) else {
                return false
            }
            at += UInt64(wanted)
        }
        return true
    }

    /// How many bytes of a range may be other than zero. O(holes).
    package mutating func existingBytes(of range: Range<UInt64>) throws(Failure) -> UInt64 {
        var (existing, at) = (0 as UInt64, range.lowerBound)
        while at < range.upperBound, let data = try nextData(from: at), data.lowerBound < range.upperBound {
            at = min(data.upperBound, range.upperBound)
            existing += at - data.lowerBound
        }
        return existing
    }

    /// The end of the last byte of a range that isn't zero; the range's start if all are. O(existing bytes).
    package mutating func contentEnd(of range: Range<UInt64>) throws(Failure) -> UInt64 {
        var last = range.lowerBound
        _ = try forEachPiece(of: range) { offset, bytes in
            if !bytes.isZero, let index = bytes.lastIndex(where: { $0 != 0 }) { last = offset + UInt64(index) + 1 }
            return true
        }
        return last
    }

    /// The checksum of a range, which follows bytes whose checksum is `crc`; nil if the file ends before the range.
    /// O(existing bytes).
    ///
    /// - Parameter allowance: How many bytes may be read; it is reduced by those. Nil is returned if it doesn't
    ///   suffice.
    package mutating func checksum(
        of range: Range<UInt64>, continuing crc: UInt32, allowance: inout UInt64
    ) throws(Failure) -> UInt32? {
        guard range.upperBound <= count else { return nil }
        var (crc, done, left) = (crc, range.lowerBound, allowance)
        let isRead = try forEachPiece(of: range) { offset, bytes in
            // A hole costs the search for its end.
            let cost = UInt64(bytes.count) + (offset > done ? 512 : 0)
            guard cost <= left else { return false }
            left -= cost
            crc = CRC32C.checksum(bytes, continuing: CRC32C.checksum(zeros: offset - done, continuing: crc))
            done = offset + UInt64(bytes.count)
            return true
        }
        allowance = left
        return isRead ? CRC32C.checksum(zeros: range.upperBound - done, continuing: crc) : nil
    }
}
