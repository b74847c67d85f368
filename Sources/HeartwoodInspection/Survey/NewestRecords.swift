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
    private(set) var keys: [LargeRecord] = []
    private(set) var values: [LargeRecord] = []
    private static let most = 10

    @inline(__always)
    mutating func add(_ record: ExaminedRecord, in file: @autoclosure () -> String) {
        let valueBytes = UInt64(record.header.valueLength)
        let isLongKey = keys.count < Self.most || keys[Self.most - 1].key.count < record.key.count
        let isLongValue = values.count < Self.most || values[Self.most - 1].valueBytes < valueBytes
        guard isLongKey || isLongValue else { return }
        let large = LargeRecord(
            key: Array(record.key), valueBytes: valueBytes, sequence: record.sequence, file: file(),
            offset: record.offset)
        if isLongKey { Self.insert(large, into: &keys) { $0.key.count > $1.key.count } }
        if isLongValue { Self.insert(large, into: &values) { $0.valueBytes > $1.valueBytes } }
    }

    private static func insert(
        _ large: LargeRecord, into list: inout [LargeRecord], _ isLarger: (LargeRecord, LargeRecord) -> Bool
    ) {
        let place = list.firstIndex { isLarger(large, $0) } ?? list.count
        list.insert(large, at: place)
        if list.count > most { list.removeLast() }
    }
}
