package import HeartwoodFormat

/// A damaged part of a log file.
package struct LogDamage {
    /// From where a commit was expected to where reading continues.
    package var part: Range<UInt64>
    /// The item whose check failed first.
    package var offset: UInt64
    package var error: FormatError
    /// Why it is certain that this was durable; nil for a torn tail.
    package var proof: TailVerdict.Proof?
    /// The header of the commit, if it is sound.
    package var commit: CommitHeader?
    /// The number that was expected here, and the first number of what follows; nil if nothing follows.
    package var expected: UInt64
    package var next: UInt64?
    /// Records that still verify.
    package var records: [FoundRecord]
    package var keys: [UInt8]
    package var batches: [FoundBatch]
    /// The time of the commit according to its header, but never later than that of what follows.
    package var time: UInt64
    /// The end of the last byte that isn't zero.
    package var contentEnd: UInt64

    /// From the item whose check failed first to where something verifies again, or to the last byte of a torn tail.
    package var length: UInt64 {
        let end = proof == nil ? contentEnd : part.upperBound
        return end - min(offset, end)
    }
}

extension LogDamage {
    /// The numbers of incomplete batches, from the first to the last; nil if none is lost.
    package func lostNumbers(upTo successor: FileHeader.Predecessor?) -> ClosedRange<UInt64>? {
        var end = next ?? expected
        if next == nil {
            if let successor { end = max(end, successor.lastSequence &+ 1) }
            if let last = records.last { end = max(end, last.sequence &+ 1) }
        }
        guard end > expected else { return nil }
        let whole = batches.filter(\.isWhole).map(\.sequence)
        var (first, last) = (expected, end - 1)
        for sequence in whole where sequence == first { first += 1 }
        for sequence in whole.reversed() where sequence == last && last > 0 { last -= 1 }
        return first <= last ? first...last : nil
    }

    /// Keys of incomplete batches, only of the first few. Certain: keys of their remaining records. Otherwise: the
    /// bytes where damaged records had their keys.
    package func lostKeys(certain: Bool) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var bytes = 0
        for batch in batches where !batch.isWhole {
            for record in records[batch.records] where record.isIntact == certain {
                guard found.count < 16, bytes < 4_096 else { return found }
                guard let start = record.keyStart else { continue }
                found.append(Array(keys[start..<min(start + Int(record.header.keyLength), keys.count)]))
                bytes += Int(record.header.keyLength)
            }
        }
        return found
    }
}

/// How a log file ends.
package struct LogEnd: Sendable {
    package enum Reason: Sendable, Hashable {
        /// At the end that the next file records.
        case recorded
        /// At the end of the file.
        case file
        /// In zeros that continue to the end of the file.
        case zeros
        /// At an item of a newer version.
        case unsupported(FormatError, offset: UInt64)
    }
    package var reason: Reason
    /// The end of the last commit, or of the damage.
    package var offset: UInt64
    package var nextSequence: UInt64
    package var isClosed: Bool
}

extension Finding {
    /// Damage of bytes that were durable.
    package init(
        _ damage: LogDamage, _ proof: TailVerdict.Proof, of path: String, successor: FileHeader.Predecessor?
    ) {
        let evidence =
            switch proof {
            case .successor: "the next segment's header proves"
            case .laterMark(let offset, _, _): "the commit at offset \(offset) proves"
            }
        self.init(
            .corruption, file: path, offset: damage.offset, length: damage.length,
            "the log is damaged where \(evidence) that it was durable", lost: damage.lostNumbers(upTo: successor),
            keys: damage.lostKeys(certain: true), cause: damage.error)
        perhapsKeys = damage.lostKeys(certain: false)
    }

    /// A segment ends before the end that its successor records.
    package static func cutShort(_ path: String, _ end: LogEnd, _ successor: FileHeader.Predecessor) -> Finding {
        Finding(
            .corruption, file: path, offset: end.offset,
            "a log segment was cut short, or is an older copy: the next segment's header proves that it went on",
            lost: GivenNumbers.lost(from: end.nextSequence, through: successor.lastSequence))
    }

    /// A segment is sound up to the recorded end, but its numbers aren't the recorded ones.
    package static func otherNumbers(_ path: String, _ end: LogEnd, _ successor: FileHeader.Predecessor) -> Finding {
        Finding(
            .corruption, file: path, offset: end.offset,
            "a log segment ends at number \(end.nextSequence &- 1), but its successor says \(successor.lastSequence)",
            lost: GivenNumbers.lost(from: end.nextSequence, through: successor.lastSequence))
    }
}
