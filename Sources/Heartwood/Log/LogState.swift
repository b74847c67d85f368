internal import HeartwoodFileSystem

extension Log {
    /// What belongs to the actor: parts, each with an invariant of its own.
    struct State {
        var commits: LogCommits
        var room: LogRoom
        var life = LogLife()
        var uncovered: UncoveredLog
        var counters = Counters()
        /// Compaction waits for a cut: the next turn to a new segment makes it.
        var wantsCut = false
        /// The deadline of the log writer's sleep, while it sleeps (`.max`: none).
        var writerSleepsUntil: UInt64?

        /// Bytes of log that no snapshot covers.
        var logBytes: UInt64 { uncovered.recoveredBytes + counters.writtenBytes - uncovered.compactedBytes }

        /// Records that no snapshot covers.
        var logRecords: UInt64 { uncovered.recoveredRecords + counters.records - uncovered.compactedRecords }
    }

    /// What this opening has done so far. Each only grows.
    struct Counters {
        var batches: UInt64 = 0
        var records: UInt64 = 0
        var acceptedBytes: UInt64 = 0
        var commits: UInt64 = 0
        var writtenBytes: UInt64 = 0
        var syncs: UInt64 = 0
        var rotations: UInt64 = 0
        var marks: UInt64 = 0
    }
}

/// Whether the log takes writes, and who waits for its end.
///
/// Invariant: a failure is final, and a phase is never followed by an earlier one.
struct LogLife {
    enum Phase { case running, closing, abandoned, ended }

    /// Why no more is written: a write or a sync has failed.
    private(set) var failure: StoreError? { didSet { noteLimits() } }
    private(set) var phase = Phase.running { didSet { noteLimits() } }
    /// Number of bodies of transactions that run.
    var transactions = 0 { didSet { noteLimits() } }
    /// Whether every write is accepted. One look for what is rarely otherwise: a failure, the end, a transaction.
    private(set) var acceptsAllWrites = true
    private var closers: [Sleeper<StoreError?>] = []
    private(set) var closeFailure: StoreError?

    private mutating func noteLimits() {
        acceptsAllWrites = acceptsWrites && transactions == 0
    }

    /// Whether writes of a task that runs no transaction are accepted.
    var acceptsWrites: Bool { failure == nil && phase == .running }

    func checkAcceptsWrites() throws(StoreError) {
        if let failure { throw failure }
        guard phase == .running else { throw .closed }
    }

    /// Keeps the first failure as the one that is reported.
    mutating func fail(_ error: StoreError) { if failure == nil { failure = error } }

    /// The close begins, or goes on for one more who waits for it. Before the end only.
    mutating func close(waking closer: Sleeper<StoreError?>) {
        precondition(phase != .ended)
        if phase == .running { phase = .closing }
        closers.append(closer)
    }

    mutating func abandon() { if phase == .running { phase = .abandoned } }

    /// - Parameter failure: What the close came to.
    /// - Returns: Those who wait for it; the caller resumes them outside the lock.
    mutating func end(_ failure: StoreError?) -> [Sleeper<StoreError?>] {
        precondition(phase != .ended)
        phase = .ended
        closeFailure = failure
        defer { closers = [] }
        return closers
    }

    var hasClosers: Bool { !closers.isEmpty }
}

/// How much of the log no snapshot covers, beside what the counters say of this opening.
struct UncoveredLog {
    /// What this opening has found.
    private(set) var recoveredBytes: UInt64
    private(set) var recoveredRecords: UInt64
    /// What of the counters lies in segments that the newest snapshot covers.
    private(set) var compactedBytes: UInt64 = 0
    private(set) var compactedRecords: UInt64 = 0
    /// Bytes of log at which compaction is to look whether it is due.
    var trigger: UInt64 = .max

    init(recoveredBytes: UInt64, recoveredRecords: UInt64) {
        (self.recoveredBytes, self.recoveredRecords) = (recoveredBytes, recoveredRecords)
    }

    /// A snapshot covers all that was found, and of what was written this much.
    mutating func compacted(bytes: UInt64, records: UInt64) {
        precondition(bytes >= compactedBytes && records >= compactedRecords)
        (recoveredBytes, recoveredRecords) = (0, 0)
        (compactedBytes, compactedRecords) = (bytes, records)
    }
}
