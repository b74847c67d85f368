public import HeartwoodFiles
public import HeartwoodFormat

/// Which records a survey tells of one by one: all of a store that isn't large, and of a large one those at the ends of
/// the files and around what is wrong.
public struct RecordSelection: Sendable, Hashable {
    /// So many in all, at most. Each takes about 100 bytes of memory, and what is kept of its key.
    public var most = 300_000
    /// Where there are more: so many from the start of each file, and before its end; fewer where there are many files.
    public var nearEnds = 4_000
    /// Where there are more: about so many before and behind the place of a finding; fewer where there are many.
    public var nearFindings = 1_000
    /// So many bytes are kept of each key.
    public var keyBytes = 64

    /// The usual selection.
    public init() {}
}

/// Records of one file, one by one, in the order of the file.
public struct RecordDetails: Sendable {
    /// What has become of a record.
    public enum State: UInt8, Sendable, CaseIterable {
        /// The newest of its key, and there.
        case live
        /// Overwritten or deleted, a delete itself, or in a file that doesn't count.
        case dead
        /// The newest of its key, but its time is over.
        case expired
        /// It verifies, and isn't read: the commit that it is in doesn't, or it is behind a tear.
        case unread
        /// Its header verifies, and its key and value don't.
        case damaged
    }

    /// One record.
    public struct Record: Sendable {
        /// The offset of its header in the file.
        public var offset: UInt64
        /// Bytes of all of it.
        public var length: UInt64
        /// Its sequence number.
        public var sequence: SequenceNumber
        /// What it does.
        public var kind: RecordKind
        /// What has become of it.
        public var state: State
        /// Whether the value is compressed.
        public var isCompressed: Bool
        /// The key, or its beginning.
        public var key: ArraySlice<UInt8>
        /// Bytes of the key.
        public var keyBytes: Int
        /// Bytes of the value as stored.
        public var valueBytes: UInt64
        /// When it was committed, in milliseconds since 1970; nil where the file doesn't tell.
        public var time: UInt64?
        /// When it expires, in milliseconds since 1970; nil: never.
        public var expiry: UInt64?
    }

    /// The parts of the file of which every record is told.
    public private(set) var parts: [Range<UInt64>] = []
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

    /// How many there are.
    public var count: Int { items.count }

    /// One of them.
    public subscript(index: Int) -> Record {
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

    mutating func add(
        _ header: RecordHeader, at offset: UInt64, sequence: UInt64, time: UInt64, key: some Collection<UInt8>,
        keeping most: Int, _ state: State
    ) {
        let kept = key.prefix(min(most, Int(UInt16.max)))
        items.append(
            Item(
                offset: offset, sequence: sequence, time: time, expiry: header.expiry, keyStart: keys.count,
                valueLength: header.valueLength, keyLength: header.keyLength, keyKept: UInt16(kept.count),
                kind: header.kind, state: state, isCompressed: header.flags.contains(.compressed)))
        keys += kept
    }

    /// Says that every record of a part is told; parts come in the order of the file.
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
