internal import HeartwoodFileSystem
package import HeartwoodFormat

/// Finds the records in a damaged part of a file. As long as headers say where the next record is, it reads them one
/// after the other. Otherwise it searches for the next offset at which a record verifies.
///
/// A record is accepted only if both of its checksums are right. They are bound to the file and the offset, so 64 bits
/// show that it was written there.
package struct RecordSearch {
    package private(set) var records: [FoundRecord] = []
    package private(set) var keys: [UInt8] = []
    private let header: FileHeader
    private static let leastAllowance: UInt64 = 64 << 10
    /// The search ends at the end of a batch after this many records, or bytes of keys.
    private static let (mostRecords, mostKeyBytes) = (256 << 10, 16 << 20)

    package init(_ header: FileHeader) { self.header = header }

    /// What is known about the current position. The format before version 3 doesn't always tell whether a batch
    /// begins.
    private enum Before {
        /// A batch begins here.
        case boundary
        /// The batch of the previous record continues here.
        case within
        /// Damage precedes this position.
        case unknown
    }

    /// If the search ended early: the number of the next batch.
    private(set) var nextSequence: UInt64?

    /// Adds the records from `start` to `end`, or as many as are kept in memory at a time. O(existing bytes).
    ///
    /// - Parameter beginsBatch: Whether a record at `start` is known to begin a batch.
    /// - Returns: Where the search ended. It ends before `end` only at a record that belongs to no earlier one.
    mutating func search(
        from start: UInt64, to end: UInt64, beginsBatch: Bool, in window: inout FileWindow
    ) throws(FileSystemError) -> UInt64 {
        var at = start
        var before = beginsBatch ? Before.boundary : .unknown
        var isTrusted = beginsBatch
        // A forged file may have many adjacent headers with long payloads that don't exist; each would be read to the
        // end. The allowance limits that to a few readings of the whole part.
        var allowance = 4 * (try window.existingBytes(of: start..<max(start, end))) + Self.leastAllowance
        while at < end {
            if !isTrusted {
                let next = try window.firstRecord(header.salt, flags: header.recordFlags, from: at, to: end)
                guard let next else { return end }
                at = next
            }
            let keyStart = keys.count
            // Adjacent records don't overlap, so reading them doesn't use the allowance.
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
            // After damage, a header's checksum alone isn't enough: 32 bits against millions of offsets.
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

    /// Whether a found record belongs to no earlier record: it begins a batch, or is in a snapshot.
    private func endsHere(before record: RecordHeader, _ before: Before) -> Bool {
        if header.kind == .snapshot { return true }
        guard let last = records.last, last.endsBatch else { return false }
        return last.sequence != header.firstSequence + record.sequenceDistance
            && (header.marksBatches ? !record.flags.contains(.continuesBatch) : before == .boundary)
    }

    /// The possible distances of a batch's number from the file's first.
    private var distances: Range<UInt64> {
        let end = FormatConstants.possibleSequences.upperBound
        return 0..<end - min(end, header.firstSequence)
    }

    /// Whether a record at this offset verifies.
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
}

/// Adjacent records of one batch that were found.
package struct FoundBatch: Sendable, Hashable {
    package var sequence: UInt64
    /// Indices of its records.
    package var records: Range<Int>
    /// Whether all of its records are there and intact.
    package var isWhole: Bool
}

extension [FoundRecord] {
    /// The batches of these records, in order.
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
