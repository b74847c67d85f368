/// Finding commits without having read what stands before them.
extension SegmentScanner {
    /// A commit header that verifies at its place.
    package struct Found: Sendable, Hashable {
        package var offset: UInt64
        package var header: CommitHeader
    }

    /// Looks for a commit behind `offset` whose mark proves that bytes from `offset` on were durable.
    ///
    /// Only headers are read, those with flags of a newer version too: a header that verifies at its place was written there by us, and its mark was true.
    /// O(rest of the file).
    package mutating func proofOfDurability(beyond offset: UInt64) throws(Source.Failure) -> TailVerdict.Proof? {
        try firstHeader(from: (offset &+ 8) & ~7) { $0.syncedMark > offset }.map {
            .laterMark(offset: $0.offset, mark: $0.header.syncedMark, sequence: $0.header.firstSequence)
        }
    }

    /// The first commit header from `offset` on that verifies and is wanted; where the part of the file that counts has
    /// none, nil. Moves nothing. O(bytes up to there).
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

    /// Goes on behind damage: at a place where a commit begins with this number.
    package mutating func resume(at offset: UInt64, expecting sequence: UInt64) {
        position = offset
        nextSequence = sequence
        isClosed = false
        rest = nil
    }

    /// Goes on in the same place of the same file as it is now: it may have grown, or have been cut off.
    package mutating func reread(_ source: Source, recordedEnd: UInt64?) {
        self.source = source
        limit = min(source.count, recordedEnd ?? .max)
    }
}

extension SegmentBytes {
    /// The first item from `start` on, at a multiple of 8, whose header lies before `end`. O(bytes that exist up to there).
    ///
    /// - Parameters:
    ///   - headerBytes: Of the item's header, a multiple of 8, the first of which is never zero: it begins in no hole.
    ///   - glance: Whether an item may begin with these eight bytes, the first of which is the lowest. It keeps most places
    ///     from being decoded.
    ///   - decode: Given so many bytes and their offset in the file; the item, or nil where these begin none.
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
            // A header that begins in the last bytes of this part may continue in the hole.
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
            // The file was cut meanwhile.
            guard read == wanted else { return nil }
            at = first + UInt64(wanted - headerBytes + 8)
        }
        return nil
    }
}
