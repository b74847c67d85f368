internal import HeartwoodFormat

/// The newest record of each key: of all keys, or, if they don't fit, of those whose hashes are in a part of the range.
///
/// Whenever there are too many keys, the range is halved. So the remaining keys are always a fair sample of all keys
/// (adaptive sampling: M. Wegman; P. Flajolet, "On adaptive sampling", 1990).
struct NewestRecords {
    struct Newest {
        var offset: UInt64
        var expiry: UInt64
        var file: Int
        var valueLength: UInt32
        var keyLength: UInt16
        /// The number of its prefix in a `PrefixTable`; 0 without one.
        var prefix: UInt16
        var isTombstone: Bool

        /// Bytes of the record.
        var length: Int {
            FormatConstants.recordHeaderSize + alignedUp(Int(keyLength) + Int(valueLength))
        }
    }

    /// About 100 MiB.
    private static let most = 1 << 20

    private var table: [KeyHash: Newest] = [:]
    private var turns = HashPasses(capacity: most)

    /// The share of all keys that is followed.
    var share: Double { turns.share }

    var records: some Sequence<Newest> { table.values }

    /// Adds a record. Records come from the oldest to the newest.
    @inline(__always)
    mutating func add(
        _ header: RecordHeader, _ key: UnsafeRawBufferPointer, _ offset: UInt64, prefix: UInt16, file: Int
    ) {
        let hash = KeyHash(key)
        guard turns.contains(hash) else { return }
        table[hash] = Newest(
            offset: offset, expiry: header.expiry, file: file, valueLength: header.valueLength,
            keyLength: header.keyLength, prefix: prefix, isTombstone: header.kind == .delete)
        turns.bound(&table)
    }
}

/// The records with the longest keys and values.
struct LargestRecords {
    struct Candidate {
        var key: [UInt8]
        var valueBytes: UInt64
        var sequence: UInt64
        var file: Int
        var offset: UInt64

        func record(_ names: [String]) -> LargeRecord {
            LargeRecord(key: key, valueBytes: valueBytes, sequence: sequence, file: names[file], offset: offset)
        }
    }

    private(set) var keys: [Candidate] = []
    private(set) var values: [Candidate] = []
    private static let most = 10

    @inline(__always)
    mutating func add(
        _ header: RecordHeader, _ key: UnsafeRawBufferPointer, _ offset: UInt64, _ sequence: UInt64, file: Int
    ) {
        let isLongKey = keys.count < Self.most || keys[Self.most - 1].key.count < key.count
        let isLongValue = values.count < Self.most || values[Self.most - 1].valueBytes < UInt64(header.valueLength)
        guard isLongKey || isLongValue else { return }
        let candidate = Candidate(
            key: Array(key), valueBytes: UInt64(header.valueLength), sequence: sequence, file: file, offset: offset)
        if isLongKey { Self.insert(candidate, into: &keys) { $0.key.count > $1.key.count } }
        if isLongValue { Self.insert(candidate, into: &values) { $0.valueBytes > $1.valueBytes } }
    }

    private static func insert(
        _ candidate: Candidate, into list: inout [Candidate], _ isLarger: (Candidate, Candidate) -> Bool
    ) {
        let place = list.firstIndex { isLarger(candidate, $0) } ?? list.count
        list.insert(candidate, at: place)
        if list.count > most { list.removeLast() }
    }
}
