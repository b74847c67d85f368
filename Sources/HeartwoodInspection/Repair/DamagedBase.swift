internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Which keys a damaged snapshot may have lost: between which of those that are left, or by name.
///
/// Records lie in the order of their keys, so that two that are neighbours prove that there was no key between them.
struct DamagedBase {
    /// Keys lie between these, both excluded; nil: from the first one on, or to the last.
    struct Gap {
        var lower: [UInt8]?
        var upper: [UInt8]?

        func contains(_ key: ArraySlice<UInt8>) -> Bool {
            if let lower, !lower[...].lexicographicallyPrecedes(key) { return false }
            if let upper, !key.lexicographicallyPrecedes(upper[...]) { return false }
            return true
        }
    }

    private(set) var gaps: [Gap] = []
    /// Keys whose records are lost, by the key section.
    private(set) var lostKeys: Set<[UInt8]> = []
    private(set) var losses: [RepairReport.Loss] = []

    init(_ source: RepairSources.SnapshotSource, _ meter: inout ProgressMeter) throws {
        var examination = try SnapshotExamination(source.file, source.header)
        var lastKey: [UInt8]?
        var open: Gap?
        var (gaps, lostKeys) = ([Gap](), Set<[UInt8]>())
        var losses: [RepairReport.Loss] = []
        try examination.run(&meter) { walk, damages in
            // In the order of the file; that of damaged keys comes before them, and lies behind.
            var parts = damages.filter(\.isAmongRecords).makeIterator()
            var damage = parts.next()
            func take(before offset: UInt64) {
                while let next = damage, next.part.lowerBound < offset {
                    switch next.item {
                    case .record(let key?):
                        lostKeys.insert(key)
                        losses.append(Self.loss(next, source, "a record of a snapshot is damaged", [key]))
                    case .record(nil), .records:
                        if open == nil { open = Gap(lower: lastKey) }
                        losses.append(Self.loss(next, source, "records of a snapshot are damaged", []))
                    case .keyBlock, .footer: break
                    }
                    damage = parts.next()
                }
            }
            for record in walk.records {
                take(before: record.offset)
                let key = Array(walk.keys[record.keyStart!..<(record.keyStart! + Int(record.header.keyLength))])
                if var gap = open {
                    gap.upper = key
                    gaps.append(gap)
                    open = nil
                }
                lastKey = key
            }
            take(before: .max)
        }
        if let open { gaps.append(open) }
        (self.gaps, self.lostKeys, self.losses) = (gaps, lostKeys, losses)
    }

    private static func loss(
        _ damage: SnapshotDamage, _ source: RepairSources.SnapshotSource, _ what: String, _ keys: [[UInt8]]
    ) -> RepairReport.Loss {
        RepairReport.Loss(
            what: what, file: source.file.path, offset: damage.part.lowerBound, length: UInt64(damage.part.count),
            keys: keys, cause: damage.error)
    }

    /// Whether what became of a key can't be told from the snapshot any more.
    func mayHaveLost(_ key: ArraySlice<UInt8>) -> Bool {
        lostKeys.contains(Array(key)) || gaps.contains { $0.contains(key) }
    }
}

/// The newest records, from before a damaged snapshot, of keys that it may have lost. As many as were lost, at the most.
struct OlderRecords: HistorySink {
    struct Older {
        var record: FoundRecord
        var file: DataFile
    }

    let base: DamagedBase
    /// Batches behind the snapshot are not older.
    let limit: UInt64
    private(set) var newest: [[UInt8]: Older] = [:]

    init(_ base: DamagedBase, before limit: UInt64) {
        self.base = base
        self.limit = limit
    }

    mutating func add(
        _ records: ArraySlice<FoundRecord>, of commit: FoundCommit, sequence: UInt64, lost: UInt64, from file: DataFile
    ) throws {
        guard sequence <= limit else { return }
        for record in records { add(record, commit.key(of: record), file) }
    }

    /// All records of an older snapshot that verify.
    mutating func add(_ source: RepairSources.SnapshotSource, _ meter: inout ProgressMeter) throws {
        var examination = try SnapshotExamination(source.file, source.header)
        try examination.run(&meter) { walk, _ in
            for record in walk.records {
                let start = record.keyStart!
                add(record, walk.keys[start..<(start + Int(record.header.keyLength))], source.file)
            }
        }
    }

    private mutating func add(_ record: FoundRecord, _ key: ArraySlice<UInt8>, _ file: DataFile) {
        if case .optional = record.header.kind { return }
        guard base.mayHaveLost(key) else { return }
        if let other = newest[Array(key)], other.record.sequence > record.sequence { return }
        newest[Array(key)] = Older(record: record, file: file)
    }

    /// What stands in for what is lost, in the order of the keys.
    var sorted: [(key: [UInt8], older: Older)] {
        newest.filter { $0.value.record.header.kind != .delete }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { ($0.key, $0.value) }
    }
}
