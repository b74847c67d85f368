internal import Heartwood
internal import HeartwoodFormat

/// Whether segments are one log, as an opening asks: each names its predecessor by salt, last number and end.
///
/// Unlike an opening, it goes on behind a breach.
struct ChainCheck {
    /// The first of the logs that counts: those before it are covered by the snapshot.
    private(set) var first = 0
    /// What the next log, or the snapshot, says of each.
    private(set) var successors: [FileHeader.Predecessor?]
    private(set) var findings: [Finding] = []
    private let logs: [DataFile]
    /// Whether an opening refuses because of what is checked.
    private var counts = true
    /// Whether what comes before the first log is in the damaged snapshot alone.
    private var startsBehindSnapshot = false

    /// - Parameters:
    ///   - logs: With headers, in the order of their first numbers.
    ///   - damaged: The newest snapshot, where it doesn't serve, and where it is damaged.
    init(logs: [DataFile], snapshot: DataFile?, damaged: (DataFile, SnapshotKeys.Damage)?) {
        self.logs = logs
        successors = logs.indices.map { index in
            let salt = logs[index].header!.salt
            return logs[(index + 1)...].lazy.compactMap { $0.header!.predecessor }.first { $0.salt == salt }
        }
        if let snapshot { checkSnapshot(snapshot, snapshot.header!.predecessor!) } else { checkStart(damaged?.0) }
        for index in logs.indices.dropFirst() {
            // An opening doesn't ask what the snapshot covers.
            counts = index > first
            check(logs[index], after: logs[index - 1])
        }
        guard let (damaged, place) = damaged, case .snapshot(let sequence) = damaged.meaning, !place.isUnsupported
        else { return }
        // The name says that there was a segment behind that number.
        let goesOn = logs.last.map { $0.header!.firstSequence > sequence } ?? false
        let isNeeded = !goesOn || startsBehindSnapshot || findings.contains { $0.refusesOpening }
        if case .unsupported? = place.cause {
            let what = "it was written by a newer version of Heartwood"
            findings.insert(
                Finding(
                    .unsupported, file: damaged.path, offset: place.offset, what, cause: place.cause,
                    refusesOpening: true),
                at: 0)
            return
        }
        // What an opening names is this, and not what is missing in its place.
        findings.insert(
            Finding(
                .corruption, file: damaged.path, offset: place.offset,
                place.what
                    + (isNeeded
                        ? ", and nothing that is here serves in its place"
                        : "; nothing is lost by that, as the log that it covers is still here"),
                cause: place.cause, refusesOpening: isNeeded), at: 0)
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
        guard first < logs.count else {
            return report(
                snapshot,
                "the log segment that follows this snapshot, from number \(end.lastSequence + 1) on, is missing")
        }
        guard !logs[first].isRebuilt else { return }
        let before = logs[first].header!.predecessor?.lastSequence ?? 0
        report(
            logs[first],
            "a log segment is missing, or was replaced, between the snapshot \(snapshot.name) and this one: it follows another, which ends at number \(before)",
            lost: GivenNumbers.lost(from: end.lastSequence + 1, through: before))
    }

    private mutating func checkStart(_ damaged: DataFile?) {
        guard let file = logs.first, let predecessor = file.header!.predecessor, !file.isRebuilt else { return }
        // What a compaction dropped isn't missing: it is in the snapshot, as far as that can still be read.
        if case .snapshot(let sequence)? = damaged?.meaning, sequence >= predecessor.lastSequence {
            startsBehindSnapshot = true
            return
        }
        report(
            file,
            "log segments are missing before this one: it follows another, which ends at number \(predecessor.lastSequence)",
            lost: GivenNumbers.lost(from: 1, through: predecessor.lastSequence))
    }

    private mutating func check(_ file: DataFile, after previous: DataFile) {
        // A header that was put together again is no evidence, and its damage is reported already.
        guard !file.isRebuilt, !previous.isRebuilt else { return }
        guard let predecessor = file.header!.predecessor else {
            return report(file, "a log segment says that it is the store's first, but \(previous.name) comes before it")
        }
        guard predecessor.salt == previous.header!.salt else {
            return report(
                file,
                "a log segment is missing, or was replaced, between \(previous.name) and this one: it follows another, which ends at number \(predecessor.lastSequence)"
            )
        }
        guard predecessor.lastSequence < file.header!.firstSequence,
            predecessor.lastSequence &+ 1 >= previous.header!.firstSequence
        else { return report(file, Self.numbersDoNotFollow) }
    }

    private static let numbersDoNotFollow = "a log segment's numbers do not follow its predecessor's"

    private mutating func report(_ file: DataFile, _ what: String, lost: ClosedRange<UInt64>? = nil) {
        findings.append(Finding(.corruption, file: file.path, offset: 0, what, lost: lost, refusesOpening: counts))
    }
}
