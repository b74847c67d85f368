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
        var candidate = alignedUp(offset)
        let overlap = FormatConstants.commitHeaderSize - FormatConstants.alignment
        while candidate < limit {
            let start = candidate
            let salt = header.salt
            var found: Found?
            let read = try source.withBytes(at: start, count: Self.windowBytes) { bytes -> Int in
                var local = 0
                while local + FormatConstants.commitHeaderSize <= bytes.count {
                    if bytes.load(UInt32.self, littleEndianAt: local) == FormatConstants.commitMagic,
                        let header = try? CommitHeader.decode(
                            bytes.slice(local, FormatConstants.commitHeaderSize), salt: salt,
                            offset: start + UInt64(local), allowingUnknownFlags: true),
                        isWanted(header)
                    {
                        found = Found(offset: start + UInt64(local), header: header)
                        return local
                    }
                    local += FormatConstants.alignment
                }
                return bytes.count
            }
            if let found { return found }
            guard read > overlap else { return nil }
            candidate = start + UInt64((read - overlap) & ~7)
            if read < Self.windowBytes { return nil }
        }
        return nil
    }

    /// Goes on behind damage: at a place where a commit begins with this number.
    package mutating func resume(at offset: UInt64, expecting sequence: UInt64) {
        position = offset
        nextSequence = sequence
        isClosed = false
    }

    /// Goes on in the same place of the same file as it is now: it may have grown, or have been cut off.
    package mutating func reread(_ source: Source, recordedEnd: UInt64?) {
        self.source = source
        limit = min(source.count, recordedEnd ?? .max)
    }
}

private func alignedUp(_ offset: UInt64) -> UInt64 { (offset &+ 7) & ~7 }
