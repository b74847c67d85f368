internal import Heartwood
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
    private static let windowBytes = 256 << 10
    private static let shortRecord: UInt64 = 4_096

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

    /// Adds the records from `start` to `end`.
    ///
    /// - Parameter beginsBatch: Whether a batch is known to begin at `start`, if a record does.
    mutating func search(
        from start: UInt64, to end: UInt64, beginsBatch: Bool, in window: inout FileWindow
    ) throws(FileSystemError) {
        var at = start
        var before = beginsBatch ? Before.boundary : .unknown
        var isTrusted = beginsBatch
        // Where headers stand side by side that tell of long payloads which aren't there, each of them would be read to the
        // end. Whoever wrote them is no store, and gets no more than a few readings of all.
        var allowance = 8 * (end - min(start, end)) + (1 << 20)
        while at < end {
            if !isTrusted {
                guard let next = try nextCandidate(from: at, to: end, in: &window) else { return }
                at = next
            }
            let keyStart = keys.count
            let limit = isTrusted ? end : min(end, at + max(allowance, Self.shortRecord))
            switch try RecordProbe.look(at: at, end: limit, of: header, in: &window, adding: &keys) {
            case .intact(let record) where isPossible(record):
                add(record, at: at, keyStart, isIntact: true, before)
                before = record.flags.contains(.batchContinues) ? .within : .boundary
                at += UInt64(record.encodedLength)
                isTrusted = true
            // Behind damage a header alone isn't enough to go by: 32 bits, of millions of places.
            case .damaged(let record, _) where isTrusted && isPossible(record):
                add(record, at: at, keyStart, isIntact: false, before)
                before = record.flags.contains(.batchContinues) ? .within : .boundary
                at += UInt64(record.encodedLength)
            case .damaged(let record, _):
                allowance -= min(allowance, UInt64(record.encodedLength))
                fallthrough
            case .intact, .none:
                keys.removeLast(keys.count - keyStart)
                isTrusted = false
                before = .unknown
                at += 8
            }
        }
    }

    /// Whether a batch of a store can have the record's number.
    private func isPossible(_ record: RecordHeader) -> Bool {
        let end = FormatConstants.possibleSequences.upperBound
        return record.sequenceDistance < end - min(end, header.firstSequence)
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

    /// The next place from which on a header of a record verifies: by its own checksum alone.
    private func nextCandidate(
        from start: UInt64, to end: UInt64, in window: inout FileWindow
    ) throws(FileSystemError) -> UInt64? {
        var at = start
        let (salt, known) = (header.salt, header.recordFlags)
        while at < end {
            let first = at
            let wanted = Int(min(UInt64(Self.windowBytes), end - at))
            var found: UInt64?
            let read = try window.withBytes(at: first, count: wanted) { bytes -> Int in
                var local = 0
                while local + FormatConstants.recordHeaderSize <= bytes.count {
                    let kind = bytes[local]
                    if kind != 0, kind < 4 || kind >= FormatConstants.firstOptionalKind,
                        (try? RecordHeader.decode(
                            bytes.slice(local, FormatConstants.recordHeaderSize), salt: salt,
                            offset: first + UInt64(local), flags: known)) != nil
                    {
                        found = first + UInt64(local)
                        break
                    }
                    local += 8
                }
                return bytes.count
            }
            if let found { return found }
            guard read == wanted, read >= 64 else { return nil }
            if first + UInt64(read) >= end { return nil }
            at = first + UInt64(read - 24) & ~7
        }
        return nil
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
