internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Compares a snapshot with the log that it replaced, if that log still exists completely.
///
/// The snapshot must have the newest record of each key in the log, and no other record. Keys are identified by 128-bit
/// hashes. If there are too many keys for a table of limited size, they are compared in several passes.
struct SnapshotComparison {
    private(set) var compared = 0
    private(set) var findings: [Finding] = []

    /// The most keys per pass: about 100 MiB.
    private static let mostKeys = 1 << 20
    /// The most passes. Each pass reads all files. If there are more keys, only a part of them is compared, chosen by
    /// hash.
    private static let mostPasses = 4
    private static let mostFindings = 100

    static func run(_ files: StoreFiles, _ progress: ProgressMeter.Report?) throws -> SnapshotComparison {
        var comparison = SnapshotComparison()
        let snapshots = files.members.filter { $0.role == .snapshot || $0.role == .older }
            .sorted { $0.sequence < $1.sequence }
        let logs = files.members.filter { $0.role == .covered }.sorted { $0.sequence < $1.sequence }
        for (index, snapshot) in snapshots.enumerated() {
            let base = index > 0 ? snapshots[index - 1] : nil
            guard let sources = sources(of: snapshot, from: base, logs) else { continue }
            try comparison.compare(snapshot, (base.map { [$0] } ?? []) + sources, progress)
            comparison.compared += 1
        }
        return comparison
    }

    /// The segments from one snapshot, or from the store's first segment, to the next snapshot; nil if some are
    /// missing.
    private static func sources(
        of snapshot: StoreFiles.Member, from base: StoreFiles.Member?, _ logs: [StoreFiles.Member]
    ) -> [StoreFiles.Member]? {
        guard let end = snapshot.file.header?.predecessor else { return nil }
        guard let last = logs.lastIndex(where: { $0.file.header?.salt == end.salt }) else { return nil }
        var chosen: [StoreFiles.Member] = []
        var index = last
        while true {
            chosen.append(logs[index])
            let predecessor = logs[index].file.header?.predecessor
            if predecessor == base?.file.header?.predecessor { break }
            guard index > 0, let predecessor, logs[index - 1].file.header?.salt == predecessor.salt else { return nil }
            index -= 1
        }
        // The snapshot itself records where the last segment ends. The segment after it may be another one by now.
        chosen[0].successor = end
        return chosen.reversed()
    }

    private struct Newest {
        var sequence: UInt64
        var checksum: UInt32
        var expiry: UInt64
        var isTombstone: Bool
    }

    /// - Parameter sources: The snapshot before it, if there is one, and the log after that.
    private mutating func compare(
        _ snapshot: StoreFiles.Member, _ sources: [StoreFiles.Member], _ progress: ProgressMeter.Report?
    ) throws {
        var turns = HashPasses(capacity: Self.mostKeys)
        let bytes = sources.reduce(snapshot.file.size) { $0 + $1.file.size }
        for pass in 1... {
            var newest: [KeyHash: Newest] = [:]
            var meter = ProgressMeter("comparing", totalBytes: bytes, progress)
            for source in sources {
                try source.forEachRecord(&meter) { record in
                    if case .optional = record.header.kind { return }
                    let hash = KeyHash(record.key)
                    guard turns.contains(hash) else { return }
                    newest[hash] = Newest(
                        sequence: record.sequence, checksum: record.header.payloadChecksum,
                        expiry: record.header.expiry, isTombstone: record.header.kind == .delete)
                    turns.bound(&newest)
                }
            }
            try check(snapshot, &newest, turns, &meter)
            let share = turns.taken
            guard turns.next() else { return }
            guard pass < Self.mostPasses else {
                findings.append(
                    Finding(
                        .note, file: snapshot.file.path, offset: 0,
                        "about \(Int(100 * share)) of 100 keys were compared with the log that the snapshot replaced: "
                            + "there are too many for all"
                    ))
                return
            }
        }
    }

    private mutating func check(
        _ snapshot: StoreFiles.Member, _ newest: inout [KeyHash: Newest], _ turns: HashPasses,
        _ meter: inout ProgressMeter
    ) throws {
        let path = snapshot.file.path
        var wrong: [Finding] = []
        try snapshot.forEachRecord(&meter) { record in
            let hash = KeyHash(record.key)
            guard turns.contains(hash) else { return }
            let told = newest.removeValue(forKey: hash)
            if let told, told.sequence == record.sequence, !told.isTombstone,
                told.checksum == record.header.payloadChecksum, told.expiry == record.header.expiry
            {
                return
            }
            guard wrong.count < Self.mostFindings else { return }
            let says = told.map { $0.isTombstone ? "a removal, number \($0.sequence)" : "number \($0.sequence)" }
            wrong.append(
                Finding(
                    .corruption, file: path, offset: record.offset,
                    "a record of a snapshot, number \(record.sequence), is not what the log that it replaced "
                        + "says: \(says ?? "nothing of this key")",
                    keys: [Array(record.key)]))
        }
        findings += wrong
        let now = snapshot.file.header!.creationTime
        let missing = newest.values.filter { !$0.isTombstone && ($0.expiry == 0 || $0.expiry > now) }
        for one in missing.sorted(by: { $0.sequence < $1.sequence }).prefix(Self.mostFindings) {
            findings.append(
                Finding(
                    .corruption, file: path, offset: 0,
                    "what number \(one.sequence) wrote is missing in a snapshot, and is in the log that it replaced",
                    lost: one.sequence...one.sequence))
        }
    }
}
