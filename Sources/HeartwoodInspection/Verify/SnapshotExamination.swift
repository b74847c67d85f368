internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Reads a whole snapshot and judges what is wrong with it.
struct SnapshotExamination {
    private(set) var findings: [Finding] = []
    private(set) var records: UInt64 = 0
    private(set) var damagedParts: [Range<UInt64>] = []
    private var walk: SnapshotWalk
    private let path: String
    /// The most findings. Each costs memory, and a thousand of them are enough.
    private static let mostFindings = 1_000
    private static let mostParts = 1 << 20

    init(_ file: DataFile, _ header: FileHeader) throws(FileSystemError) {
        walk = try SnapshotWalk(file, header: header)
        path = file.path
        if let damage = walk.footerDamage { note(damage) }
    }

    var footer: SnapshotFooter? { walk.footer }
    /// Compressed values of which only the checksum was checked.
    var valuesSkipped: UInt64 { walk.valuesSkipped }

    mutating func run(
        _ meter: inout ProgressMeter, onRecords: (SnapshotWalk, [SnapshotDamage]) throws -> Void = { _, _ in }
    ) throws {
        var before: UInt64 = 0
        while case .records(let damages) = try walk.next() {
            for damage in damages { note(damage) }
            records += UInt64(walk.records.count)
            try onRecords(walk, damages)
            try meter.advance(walk.position - before, records: walk.records.count)
            before = walk.position
        }
        try meter.advance(walk.file.size - min(before, walk.file.size), records: 0)
    }

    /// The findings without those that are already known: damage that prevents the use of a snapshot is found before
    /// reading it.
    func findings(besides known: [Finding]) -> [Finding] {
        let places = Set(known.lazy.filter { $0.file == path }.map(\.offset))
        return findings.filter { !places.contains($0.offset) }
    }

    private mutating func note(_ damage: SnapshotDamage) {
        if damagedParts.count < Self.mostParts { damagedParts.append(damage.part) }
        guard findings.count < Self.mostFindings else { return }
        findings.append(Finding(damage, path))
    }
}

extension Finding {
    /// A finding for damage of a snapshot.
    init(_ damage: SnapshotDamage, _ path: String) {
        let what =
            switch damage.item {
            case .record: "a record of a snapshot is not what was written"
            case .records: "what stands here, between records of a snapshot, is none"
            case .rest: "a snapshot was cut short, and records after this offset are missing"
            case .keyBlock: "the keys of a snapshot are damaged"
            case .footer: "a snapshot is damaged at its end, or was cut short"
            }
        var severity = Severity.corruption
        if case .unsupported = damage.error { severity = .unsupported }
        self.init(
            severity, file: path, offset: damage.part.lowerBound, length: UInt64(damage.part.count), what,
            cause: damage.error)
        if case .record(let key?) = damage.item { keys = [key] }
    }
}
