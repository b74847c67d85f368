internal import HeartwoodFileSystem
package import HeartwoodFormat

/// Finds the records in a part of a file where something is damaged: side by side as long as headers tell where the next
/// one is, and otherwise the next place at which a record verifies.
///
/// A record is taken only where both of its checksums hold. As they are bound to file and place, 64 bits say that it was
/// written there.
package struct RecordSearch {
    package private(set) var records: [FoundRecord] = []
    package private(set) var keys: [UInt8] = []
    private let header: FileHeader
    private static let leastAllowance: UInt64 = 64 << 10
    /// Where a batch ends once there are so many records, or bytes of keys, the search does.
    private static let (mostRecords, mostKeyBytes) = (256 << 10, 16 << 20)

    package init(_ header: FileHeader) { self.header = header }

    /// What is known about the place of the search, as far as the format before version 3 leaves it open.
    private enum Before {
        /// A batch begins here.
        case boundary
        /// The batch of the record before goes on here.
        case within
        /// Damage.
        case unknown
    }

    /// Where the search ended before all was searched: the number of the batch that follows.
    private(set) var nextSequence: UInt64?

    /// Adds the records from `start` to `end`, or as many as are kept in memory at a time. O(bytes that exist).
    ///
    /// - Parameter beginsBatch: Whether a batch is known to begin at `start`, if a record does.
    /// - Returns: Where the search ended: before `end` only where a record belongs to none before it.
    mutating func search(
        from start: UInt64, to end: UInt64, beginsBatch: Bool, in window: inout FileWindow
    ) throws(FileSystemError) -> UInt64 {
        var at = start
        var before = beginsBatch ? Before.boundary : .unknown
        var isTrusted = beginsBatch
        // Where headers stand side by side that tell of long payloads which aren't there, each of them would be read to the
        // end. Whoever wrote them is no store, and gets no more than a few readings of all.
        var allowance = 4 * (try window.existingBytes(of: start..<max(start, end))) + Self.leastAllowance
        while at < end {
            if !isTrusted {
                guard let next = try nextCandidate(from: at, to: end, in: &window) else { return end }
                at = next
            }
            let keyStart = keys.count
            // Records side by side don't overlap: that they are read takes nothing from what is allowed.
            var left = isTrusted ? .max : allowance
            switch try RecordProbe.look(
                at: at, end: end, of: header, in: &window, adding: &keys, distances: distances, allowance: &left)
            {
            case .intact(let record):
                if records.count >= Self.mostRecords || keys.count >= Self.mostKeyBytes,
                    endsHere(before: record, before)
                {
                    keys.removeLast(keys.count - keyStart)
                    nextSequence = header.firstSequence + record.sequenceDistance
                    return at
                }
                add(record, at: at, keyStart, isIntact: true, before)
                before = record.flags.contains(.batchContinues) ? .within : .boundary
                at += UInt64(record.encodedLength)
                isTrusted = true
            // Behind damage a header alone isn't enough to go by: 32 bits, of millions of places.
            case .damaged(let record, _) where isTrusted:
                add(record, at: at, keyStart, isIntact: false, before)
                before = record.flags.contains(.batchContinues) ? .within : .boundary
                at += UInt64(record.encodedLength)
            case .damaged, .none:
                if !isTrusted { allowance = left }
                keys.removeLast(keys.count - keyStart)
                isTrusted = false
                before = .unknown
                at += 8
            }
        }
        return end
    }

    /// Whether a record that was found belongs to no record before it: it begins a batch, or is a snapshot's.
    private func endsHere(before record: RecordHeader, _ before: Before) -> Bool {
        if header.kind == .snapshot { return true }
        guard let last = records.last, last.endsBatch else { return false }
        return last.sequence != header.firstSequence + record.sequenceDistance
            && (header.marksBatches ? !record.flags.contains(.continuesBatch) : before == .boundary)
    }

    /// What the numbers of a store's batches may be from the file's first one.
    private var distances: Range<UInt64> {
        let end = FormatConstants.possibleSequences.upperBound
        return 0..<end - min(end, header.firstSequence)
    }

    /// Whether a record that verifies stands at a place.
    func recordStands(
        at offset: UInt64, end: UInt64, in window: inout FileWindow
    ) throws(FileSystemError) -> Bool {
        var keys: [UInt8] = []
        if case .intact = try RecordProbe.look(at: offset, end: end, of: header, in: &window, adding: &keys) {
            return true
        }
        return false
    }

    private mutating func add(
        _ record: RecordHeader, at offset: UInt64, _ keyStart: Int, isIntact: Bool, _ before: Before
    ) {
        records.append(
            FoundRecord(
                offset: offset, header: record, sequence: header.firstSequence + record.sequenceDistance,
                keyStart: keyStart, isIntact: isIntact,
                beginsBatch: header.marksBatches ? !record.flags.contains(.continuesBatch) : before == .boundary))
    }

    /// The next place at which a header of a record verifies: by its own checksum alone.
    private func nextCandidate(
        from start: UInt64, to end: UInt64, in window: inout FileWindow
    ) throws(FileSystemError) -> UInt64? {
        let (salt, known) = (header.salt, header.recordFlags)
        return try window.firstItem(
            from: start, to: end, headerBytes: FormatConstants.recordHeaderSize,
            glance: { RecordHeader.mayBegin($0, flags: known) }
        ) { bytes, offset in
            let header = try? RecordHeader.decode(bytes, salt: salt, offset: offset, flags: known)
            return header == nil ? nil : offset
        }
    }
}

/// Records of one batch that were found, side by side.
package struct FoundBatch: Sendable, Hashable {
    package var sequence: UInt64
    /// Which of the records found.
    package var records: Range<Int>
    /// Whether all of its records are there, as they were written.
    package var isWhole: Bool
}

extension [FoundRecord] {
    /// The batches that these records are of, in their order.
    package var batches: [FoundBatch] {
        var batches: [FoundBatch] = []
        var start = startIndex
        while start < endIndex {
            var end = start + 1
            while end < endIndex, self[end].sequence == self[start].sequence { end += 1 }
            let part = self[start..<end]
            let isClosed = part.first!.beginsBatch && part.last!.endsBatch && part.allSatisfy(\.isIntact)
            let isUnbroken = zip(part, part.dropFirst()).allSatisfy { $0.end == $1.offset && !$0.endsBatch }
            batches.append(
                FoundBatch(sequence: part.first!.sequence, records: start..<end, isWhole: isClosed && isUnbroken))
            start = end
        }
        return batches
    }
}
