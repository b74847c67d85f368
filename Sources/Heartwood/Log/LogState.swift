internal import HeartwoodConcurrency

extension Log {
    /// The state of the actor: parts, each with its own invariant.
    struct State {
        var commits: LogCommits
        var space: LogSpace
        var life = LogLife()
        var uncovered: UncoveredLog
        var counters = Counters()
        var followers = LogFollowers()
        /// Compaction waits for a compaction boundary, which the next rotation makes.
        var wantsBoundary = false
        /// The deadline of the log writer's sleep while it sleeps (`.max`: none); nil while it is awake.
        var writerSleepsUntil: UInt64?

        /// Bytes of log that no snapshot covers.
        var logBytes: UInt64 { uncovered.recoveredBytes + counters.writtenBytes - uncovered.compactedBytes }

        /// What a compaction would free; see `CompactionSchedule.Facts`. With the log's lock, which is the index's.
        func garbage(_ index: VersionedIndex) -> UInt64 {
            logBytes + uncovered.snapshotBytes - min(uncovered.snapshotBytes, index.liveBytesUnderLock)
        }

        /// Records that no snapshot covers.
        var logRecords: UInt64 { uncovered.recoveredRecords + counters.records - uncovered.compactedRecords }
    }

    /// What this opening has done so far. Each counter only grows.
    struct Counters {
        var batches: UInt64 = 0
        var records: UInt64 = 0
        var acceptedBytes: UInt64 = 0
        var commits: UInt64 = 0
        var writtenBytes: UInt64 = 0
        var syncs: UInt64 = 0
        var rotations: UInt64 = 0
        var marks: UInt64 = 0
        /// Nanoseconds that writes have waited for room, summed over the writes.
        var waitedForRoom: UInt64 = 0
        /// Nanoseconds that the log writer has paused for compaction.
        var throttled: UInt64 = 0
    }
}

/// Whether the log accepts writes, and which callers wait for its end.
///
/// Invariant: a failure is final, and a phase is never followed by an earlier one.
struct LogLife {
    enum Phase { case running, closing, abandoned, ended }

    /// The write or sync that failed, after which nothing more is written.
    private(set) var failure: StoreError? { didSet { noteLimits() } }
    private(set) var phase = Phase.running { didSet { noteLimits() } }
    /// The number of transaction bodies that are running, and the store that their scopes name.
    private var transactions = 0 { didSet { noteLimits() } }
    private var store: ObjectIdentifier?
    /// Whether every write is accepted. One check for rare cases: a failure, the end, a transaction.
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

    mutating func bodyBegan(of store: ObjectIdentifier) {
        self.store = store
        transactions += 1
    }

    mutating func bodyEnded() { transactions -= 1 }

    /// Throws inside the body of a transaction of the store.
    func checkOutsideTransaction() throws(StoreError) {
        if transactions > 0, let store, TransactionScope.contains(store) { throw .writeInsideTransaction }
    }

    /// Keeps the first failure, which is the one that is reported.
    mutating func fail(_ error: StoreError) { if failure == nil { failure = error } }

    /// Begins the close, or adds a caller that waits for it. Only before the end.
    mutating func close(waking closer: Sleeper<StoreError?>) {
        precondition(phase != .ended)
        if phase == .running { phase = .closing }
        closers.append(closer)
    }

    mutating func abandon() { if phase == .running { phase = .abandoned } }

    /// - Parameter failure: The outcome of the close.
    /// - Returns: The callers that wait for it. Resume them outside the lock.
    mutating func end(_ failure: StoreError?) -> [Sleeper<StoreError?>] {
        precondition(phase != .ended)
        phase = .ended
        closeFailure = failure
        defer { closers = [] }
        return closers
    }

    var hasClosers: Bool { !closers.isEmpty }
}

/// How much of the log no snapshot covers, apart from the counters of this opening.
struct UncoveredLog {
    /// What this opening found.
    private(set) var recoveredBytes: UInt64
    private(set) var recoveredRecords: UInt64
    /// The part of the counters that is in segments that the newest snapshot covers.
    private(set) var compactedBytes: UInt64 = 0
    private(set) var compactedRecords: UInt64 = 0
    /// Bytes of the newest snapshot's records.
    private(set) var snapshotBytes: UInt64
    /// The garbage, in bytes, at which compaction checks whether it is due.
    var trigger: UInt64 = .max

    init(recoveredBytes: UInt64, recoveredRecords: UInt64, snapshotBytes: UInt64) {
        (self.recoveredBytes, self.recoveredRecords) = (recoveredBytes, recoveredRecords)
        self.snapshotBytes = snapshotBytes
    }

    /// A snapshot covers all that was found, and this much of what was written.
    mutating func compacted(bytes: UInt64, records: UInt64, into snapshot: SnapshotDescription) {
        precondition(bytes >= compactedBytes && records >= compactedRecords)
        (recoveredBytes, recoveredRecords) = (0, 0)
        (compactedBytes, compactedRecords) = (bytes, records)
        snapshotBytes = snapshot.recordBytes
    }
}
