internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// An older record that replaces a lost one.
struct StandIn {
    var record: FoundRecord
    var file: DataFile
}

/// Older records, from before a damaged snapshot, for the keys that it may have lost: the newest record of each key, in
/// the order of the keys.
///
/// The number of keys in memory is limited. If there are more, all sources are read again.
struct StandIns {
    private let base: DamagedBase
    private let source: RepairSources.SnapshotSource
    private let older: [RepairSources.SnapshotSource]
    private let sources: RepairSources
    private var sorted: ArraySlice<(key: [UInt8], standIn: StandIn)> = []
    /// The keys up to here are done; nil at the start.
    private var taken: [UInt8]?
    private var isAtEnd: Bool

    init(
        _ base: DamagedBase, of source: RepairSources.SnapshotSource, from older: [RepairSources.SnapshotSource],
        _ sources: RepairSources
    ) {
        self.base = base
        self.source = source
        self.older = older
        self.sources = sources
        isAtEnd = base.losses.isEmpty
    }

    /// Returns the next record, if its key is less than `limit`; nil otherwise, or if there is none.
    mutating func next(
        before limit: ArraySlice<UInt8>?, _ meter: inout ProgressMeter
    ) throws -> (key: [UInt8], standIn: StandIn)? {
        while true {
            if let first = sorted.first {
                if let limit, !first.key.lexicographicallyPrecedes(limit) { return nil }
                return sorted.removeFirst()
            }
            guard !isAtEnd else { return nil }
            try collect(&meter)
        }
    }

    /// Skips a key that the snapshot itself has.
    mutating func skip(_ key: ArraySlice<UInt8>) {
        if let first = sorted.first, first.key[...] == key { sorted.removeFirst() }
    }

    private mutating func collect(_ meter: inout ProgressMeter) throws {
        var collector = StandInCollector(base, after: taken, before: source.end.lastSequence)
        for snapshot in older { try collector.add(snapshot, &meter) }
        var history = History(sources, after: 0, RepairOptions(), RepairReport())
        try history.run(into: &collector, &meter)
        taken = collector.bound
        isAtEnd = taken == nil
        sorted = collector.sorted[...]
    }
}

/// One pass over all older sources.
private struct StandInCollector: HistorySink {
    private let base: DamagedBase
    private let lower: [UInt8]?
    /// Batches after the snapshot are not older.
    private let limit: UInt64
    /// Greater keys are left for the next pass; nil if there are none.
    private(set) var bound: [UInt8]?
    private var newest: [[UInt8]: StandIn] = [:]
    private static let capacity = 200_000

    init(_ base: DamagedBase, after lower: [UInt8]?, before limit: UInt64) {
        self.base = base
        self.lower = lower
        self.limit = limit
    }

    mutating func add(
        _ records: ArraySlice<FoundRecord>, of commit: FoundCommit, sequence: UInt64, lost: UInt64, from file: DataFile
    ) throws {
        guard sequence <= limit else { return }
        for record in records { add(record, commit.key(of: record), file) }
    }

    /// Adds all records of an older snapshot that verify.
    mutating func add(_ source: RepairSources.SnapshotSource, _ meter: inout ProgressMeter) throws {
        var examination = try SnapshotExamination(source.file, source.header)
        try examination.run(&meter) { walk, _ in
            for record in walk.records { add(record, walk.key(of: record), source.file) }
        }
    }

    private mutating func add(_ record: FoundRecord, _ key: ArraySlice<UInt8>, _ file: DataFile) {
        if case .optional = record.header.kind { return }
        if let lower, !lower[...].lexicographicallyPrecedes(key) { return }
        if let bound, bound[...].lexicographicallyPrecedes(key) { return }
        guard base.mayHaveLost(key) else { return }
        let key = Array(key)
        if let other = newest[key], other.record.sequence > record.sequence { return }
        newest[key] = StandIn(record: record, file: file)
        if newest.count >= 2 * Self.capacity { keepLowerHalf() }
    }

    private mutating func keepLowerHalf() {
        let keys = newest.keys.sorted { $0.lexicographicallyPrecedes($1) }
        bound = keys[Self.capacity - 1]
        for key in keys[Self.capacity...] { newest[key] = nil }
    }

    /// The records in the order of their keys, without deletes.
    var sorted: [(key: [UInt8], standIn: StandIn)] {
        newest.filter { $0.value.record.header.kind != .delete }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { ($0.key, $0.value) }
    }
}
