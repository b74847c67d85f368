/// Finds commits without reading what precedes them.
extension SegmentScanner {
    /// A commit header that verifies at its offset.
    package struct Found: Sendable, Hashable {
        package var offset: UInt64
        package var header: CommitHeader
    }

    /// Searches after `offset` for a commit whose sync mark proves that bytes from `offset` were durable.
    ///
    /// Only headers are read, also those with flags of a newer version: a header that verifies at its offset was
    /// written there by a store, and its sync mark was true. O(rest of the file).
    package mutating func proofOfDurability(beyond offset: UInt64) throws(Source.Failure) -> TailVerdict.Proof? {
        try firstHeader(from: (offset &+ 8) & ~7) { $0.syncedMark > offset }.map {
            .laterMark(offset: $0.offset, mark: $0.header.syncedMark, sequence: $0.header.firstSequence)
        }
    }

    /// The first wanted commit header that verifies, from `offset` to `limit`; nil if there is none. Doesn't change the
    /// position. O(bytes up to there).
    package mutating func firstHeader(
        from offset: UInt64, where isWanted: (CommitHeader) -> Bool = { _ in true }
    ) throws(Source.Failure) -> Found? {
        let salt = header.salt
        return try source.firstItem(
            from: offset, to: limit, headerBytes: FormatConstants.commitHeaderSize, glance: CommitHeader.mayBegin
        ) { bytes, offset in
            guard let header = try? CommitHeader.decode(bytes, salt: salt, offset: offset, allowingUnknownFlags: true),
                isWanted(header)
            else { return nil }
            return Found(offset: offset, header: header)
        }
    }

    /// Continues after damage, at an offset where a commit with this number begins.
    package mutating func resume(at offset: UInt64, expecting sequence: UInt64) {
        position = offset
        nextSequence = sequence
        isClosed = false
        rest = nil
    }

    /// Continues at the same offset of the same file as it is now: it may have grown or been truncated.
    package mutating func reread(_ source: Source, recordedEnd: UInt64?) {
        self.source = source
        limit = min(source.count, recordedEnd ?? .max)
    }
}

extension SegmentBytes {
    /// The first item from `start` on, at a multiple of 8, whose header begins before `end`. O(existing bytes up to
    /// there).
    ///
    /// - Parameters:
    ///   - headerBytes: Size of the item's header, a multiple of 8. Its first byte is never zero, so it never begins in
    ///     a hole.
    ///   - glance: Whether an item may begin with these eight bytes, the first of which is the lowest. A quick filter
    ///     before decoding.
    ///   - decode: Gets `headerBytes` bytes and their offset in the file; returns the item, or nil if none begins
    ///     there.
    @inlinable
    @inline(__always)
    package mutating func firstItem<Item>(
        from start: UInt64, to end: UInt64, headerBytes: Int, glance: (UInt64) -> Bool,
        _ decode: (UnsafeRawBufferPointer, _ offset: UInt64) -> Item?
    ) throws(Failure) -> Item? {
        let size = UInt64(headerBytes)
        guard end >= size else { return nil }
        var at = (start &+ 7) & ~7
        while at <= end - size, let data = try nextData(from: at) {
            at = max(at, (data.lowerBound + 7) & ~7)
            let stop = min(data.upperBound, end - size + 1)
            guard at < stop else {
                if data.upperBound > end - size { return nil }
                at = (data.upperBound + 7) & ~7
                continue
            }
            // A header that begins in the last bytes of this part may continue in a hole.
            let (first, wanted) = (at, min(256 << 10, Int((stop - at - 1) & ~7) + headerBytes))
            var found: Item?
            let read = try withBytes(at: first, count: wanted) { bytes -> Int in
                var local = 0
                while local + headerBytes <= bytes.count {
                    if glance(bytes.load(littleEndianAt: local)),
                        let item = decode(bytes.slice(local, headerBytes), first + UInt64(local))
                    {
                        found = item
                        break
                    }
                    local += 8
                }
                return bytes.count
            }
            if let found { return found }
            // Another process truncated the file.
            guard read == wanted else { return nil }
            at = first + UInt64(wanted - headerBytes + 8)
        }
        return nil
    }
}
