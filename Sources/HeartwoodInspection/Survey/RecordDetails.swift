internal import HeartwoodFiles
package import HeartwoodFormat

/// Which records a survey reports individually. For a small store these are all records. For a large one these are the
/// records near the ends of the files and near findings.
package struct RecordSelection: Sendable, Hashable {
    /// The most records in total. Each takes about 100 bytes of memory plus the kept bytes of its key.
    package var most = 300_000
    /// If there are more records: how many from the start and from the end of each file; fewer if there are many files.
    package var nearEnds = 4_000
    /// If there are more records: about how many before and after the location of a finding; fewer if there are many
    /// findings.
    package var nearFindings = 1_000
    /// The most bytes to keep of each key.
    package var keyBytes = 64

    package init() {}
}

/// Individual records of one file, in the order of the file.
package struct RecordDetails: Sendable {
    /// The state of a record.
    package enum State: UInt8, Sendable, CaseIterable {
        /// The newest record of its key, and not a delete.
        case live
        /// Overwritten, deleted, itself a delete, or in a file that does not count.
        case dead
        /// The newest record of its key, but expired.
        case expired
        /// It verifies but is not read: its commit does not verify, or it is after a tear.
        case unread
        /// Its header verifies, but its key and value do not.
        case damaged
    }

    package struct Record: Sendable {
        package var offset: UInt64
        package var length: UInt64
        package var sequence: SequenceNumber
        package var kind: RecordKind
        package var state: State
        package var isCompressed: Bool
        /// The key, or its beginning.
        package var key: ArraySlice<UInt8>
        package var keyBytes: Int
        package var valueBytes: UInt64
        /// When it was committed, in milliseconds since 1970; nil if the file doesn't tell.
        package var time: UInt64?
        /// In milliseconds since 1970; nil if it never expires.
        package var expiry: UInt64?
    }

    /// The parts of the file for which every record is reported.
    package private(set) var parts: [Range<UInt64>] = []
    private var items: [Item] = []
    private var keys: [UInt8] = []

    private struct Item {
        var offset: UInt64
        var sequence: UInt64
        var time: UInt64
        var expiry: UInt64
        var keyStart: Int
        var valueLength: UInt32
        var keyLength: UInt16
        var keyKept: UInt16
        var kind: RecordKind
        var state: State
        var isCompressed: Bool
    }

    package var count: Int { items.count }

    /// The record at an index. O(1).
    package subscript(index: Int) -> Record {
        let item = items[index]
        let payload = Int(item.keyLength) + Int(item.valueLength)
        return Record(
            offset: item.offset, length: UInt64(FormatConstants.recordHeaderSize + alignedUp(payload)),
            sequence: item.sequence, kind: item.kind, state: item.state, isCompressed: item.isCompressed,
            key: keys[item.keyStart..<item.keyStart + Int(item.keyKept)], keyBytes: Int(item.keyLength),
            valueBytes: UInt64(item.valueLength), time: item.time == 0 ? nil : item.time,
            expiry: item.expiry == 0 ? nil : item.expiry)
    }

    // MARK: - Making

    mutating func add(_ record: ExaminedRecord, keeping most: Int, _ state: State) {
        let (header, kept) = (record.header, record.key.prefix(min(most, Int(UInt16.max))))
        items.append(
            Item(
                offset: record.offset, sequence: record.sequence, time: record.time, expiry: header.expiry,
                keyStart: keys.count, valueLength: header.valueLength, keyLength: header.keyLength,
                keyKept: UInt16(kept.count), kind: header.kind, state: state,
                isCompressed: header.flags.contains(.compressed)))
        keys += kept
    }

    /// Adds a part for which every record is reported. Parts come in the order of the file.
    mutating func addPart(_ part: Range<UInt64>) {
        guard !part.isEmpty else { return }
        if let last = parts.last, last.upperBound >= part.lowerBound {
            parts[parts.count - 1] = last.lowerBound..<max(last.upperBound, part.upperBound)
        } else {
            parts.append(part)
        }
    }

    mutating func set(_ state: State, of index: Int) { items[index].state = state }
}
