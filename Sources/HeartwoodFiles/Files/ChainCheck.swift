internal import HeartwoodFormat

/// Checks whether segments form one log: each names its predecessor by salt, last number and end. A pure decision.
///
/// It continues after a problem: an opening throws the first problem that refuses it, an inspection reports all of
/// them.
struct ChainCheck {
    /// A missing part of the log, with the numbers that it contained.
    struct Gap {
        /// Index of the finding that reports it.
        var finding: Int
        /// Index of the log after it.
        var next: Int
        /// Its first number; nil: the number after those of the previous log.
        var first: UInt64?
        /// Its last number.
        var last: UInt64
    }

    /// The newest snapshot, if an opening can't start with it.
    struct Damaged {
        var path: String
        /// From its name. It shows that there was a segment after that number.
        var sequence: UInt64
        var damage: SnapshotFile.Damage
    }

    /// Index of the first log that is read. The snapshot covers those before it.
    private(set) var first = 0
    /// What the next log, or the snapshot, records about each log.
    private(set) var successors: [FileHeader.Predecessor?]
    private(set) var findings: [Finding] = []
    /// Missing parts of the log, with what their numbers are derived from.
    private(set) var gaps: [Gap] = []
    private let logs: [DataFile]
    /// Whether a problem in what is being checked refuses an opening.
    private var counts = true
    /// Whether only the damaged snapshot contains what comes before the first log.
    private var startsBehindSnapshot = false

    /// - Parameters:
    ///   - logs: With headers, in the order of their first numbers.
    ///   - snapshot: The one that an opening starts with; nil if there is only a log.
    ///   - damaged: The newest snapshot with its damage, if an opening can't start with it.
    init(logs: [DataFile], snapshot: DataFile?, damaged: Damaged?) {
        self.logs = logs
        successors = logs.indices.map { index in
            let salt = logs[index].header!.salt
            return logs[(index + 1)...].lazy.compactMap { $0.header!.predecessor }.first { $0.salt == salt }
        }
        if let snapshot { checkSnapshot(snapshot, snapshot.header!.predecessor!) } else { checkStart(damaged) }
        for index in logs.indices.dropFirst() {
            // An opening doesn't check what the snapshot covers.
            counts = index > first
            check(index)
        }
        if let damaged { judge(damaged) }
    }

    /// An opening reports this first, and not the log that is missing because of it.
    private mutating func judge(_ damaged: Damaged) {
        guard !damaged.damage.isUnsupported else { return }
        let goesOn = logs.last.map { $0.header!.firstSequence > damaged.sequence } ?? false
        let isNeeded = !goesOn || startsBehindSnapshot || findings.contains { $0.refusesOpening }
        findings.insert(
            Finding(
                .corruption, file: damaged.path, offset: damaged.damage.offset,
                damaged.damage.what
                    + (isNeeded
                        ? ", and no other file here replaces it"
                        : "; nothing is lost by that, as the log that it covers is still here"),
                cause: damaged.damage.cause, refusesOpening: isNeeded), at: 0)
        for index in gaps.indices { gaps[index].finding += 1 }
    }

    private mutating func checkSnapshot(_ snapshot: DataFile, _ end: FileHeader.Predecessor) {
        if let next = logs.firstIndex(where: { $0.header!.predecessor == end }) {
            first = next
            if end.lastSequence >= logs[next].header!.firstSequence, !logs[next].isRebuilt {
                report(logs[next], Self.numbersDoNotFollow)
            }
            return
        }
        first = logs.firstIndex { $0.header!.firstSequence > end.lastSequence } ?? logs.count
        guard first < logs.count else { return reportMissing(after: snapshot, end) }
        guard !logs[first].isRebuilt else { return }
        guard let before = logs[first].header!.predecessor?.lastSequence else {
            return reportMissing(after: snapshot, end)
        }
        gaps.append(Gap(finding: findings.count, next: first, first: end.lastSequence + 1, last: before))
        report(
            logs[first],
            "a log segment is missing, or was replaced, between the snapshot \(snapshot.name) and this one: it follows "
                + "another, which ends at number \(before)"
        )
    }

    /// A snapshot gets its name only after the segment that follows it exists.
    private mutating func reportMissing(after snapshot: DataFile, _ end: FileHeader.Predecessor) {
        report(
            snapshot, "the log segment that follows this snapshot, from number \(end.lastSequence + 1) on, is missing")
    }

    private mutating func checkStart(_ damaged: Damaged?) {
        guard let file = logs.first, let predecessor = file.header!.predecessor, !file.isRebuilt else { return }
        // Log that a compaction dropped isn't missing: it is in the snapshot, as far as that can still be read.
        if let damaged, damaged.sequence >= predecessor.lastSequence {
            startsBehindSnapshot = true
            return
        }
        gaps.append(Gap(finding: findings.count, next: 0, first: 1, last: predecessor.lastSequence))
        report(
            file,
            "log segments are missing before this one: it follows another, "
                + "which ends at number \(predecessor.lastSequence)"
        )
    }

    private mutating func check(_ index: Int) {
        let (file, previous) = (logs[index], logs[index - 1])
        // A rebuilt header is no evidence, and its damage is already reported.
        guard !file.isRebuilt, !previous.isRebuilt else { return }
        guard let predecessor = file.header!.predecessor else {
            return report(file, "a log segment says that it is the store's first, but \(previous.name) comes before it")
        }
        guard predecessor.salt == previous.header!.salt else {
            gaps.append(Gap(finding: findings.count, next: index, first: nil, last: predecessor.lastSequence))
            return report(
                file,
                "a log segment is missing, or was replaced, between \(previous.name) and this one: it follows another, "
                    + "which ends at number \(predecessor.lastSequence)"
            )
        }
        guard predecessor.lastSequence < file.header!.firstSequence,
            predecessor.lastSequence &+ 1 >= previous.header!.firstSequence
        else { return report(file, Self.numbersDoNotFollow) }
    }

    private static let numbersDoNotFollow = "a log segment's numbers do not follow its predecessor's"

    private mutating func report(_ file: DataFile, _ what: String) {
        findings.append(Finding(.corruption, file: file.path, offset: 0, what, refusesOpening: counts))
    }
}
