internal import HeartwoodConcurrency
internal import HeartwoodFormat

/// A log segment that a snapshot covers and that is kept for log readers.
struct RetainedLog: Sendable, Hashable {
    var path: String
    /// Its first sequence number.
    var first: SequenceNumber
    var bytes: UInt64
}

/// What an opening found. Compaction continues from it.
struct RecoveredFiles: Sendable {
    /// Bytes of log that no snapshot covers.
    var logBytes: UInt64 = 0
    var logRecords: UInt64 = 0
    var snapshot: SnapshotDescription?
    /// Covered segments that are kept, oldest first.
    var retained: [RetainedLog] = []
    /// Damaged snapshots, which the next one replaces.
    var damaged: [String] = []
}

/// State shared by the compactor's thread, the log writer's thread and the callers that request compaction.
final class CompactionControl: Sendable {
    typealias Outcome = Result<CompactionReport, StoreError>

    /// A caller that waits for the next compaction.
    struct Request: Sendable {
        let id: UInt64
        let sleeper: Sleeper<Outcome>
        let progress: (@Sendable (CompactionProgress) -> Void)?
    }

    struct State {
        var schedule: CompactionSchedule
        /// These wait for the next compaction.
        var waiting: [Request] = []
        /// These wait for the current compaction.
        var served: [Request] = []
        var nextRequest: UInt64 = 1
        var isRunning = false
        /// Whether to stop the current compaction, because all callers that requested it were cancelled.
        var isGivenUp = false
        /// The log writer's answer to the current request for a compaction boundary.
        var boundary: Result<CompactionBoundary, StoreError>?
        /// Whether the thread must check if a compaction is due or files can be removed.
        var isPoked = false
        var hasThread = false
        var isAsleep = false
        var isStopping = false
        /// Speed of the last compaction. Before the first compaction, the speed of a slow disk.
        var bytesPerSecond: UInt64 = 32 << 20
        /// Number of replaced files that a reader may still use.
        var pinnedFiles = 0
        var statistics = Store.CompactionStatistics()
    }

    let state: ConditionLock<State>
    /// Covered segments that are kept, oldest first.
    let retained: Locked<[RetainedLog]>
    /// The sequence numbers after which feeds need the log; see `LogHold`.
    let holds = Locked<[ObjectIdentifier: SequenceNumber]>([:])
    /// Damaged snapshots that the opening found.
    let damaged: [String]

    init(_ policy: CompactionPolicy, _ found: RecoveredFiles) {
        var state = State(schedule: CompactionSchedule(policy))
        state.statistics.snapshot = found.snapshot
        self.state = ConditionLock(state)
        retained = Locked(found.retained)
        damaged = found.damaged
    }

    func makeRequestID() -> UInt64 {
        state.withState { state in
            state.nextRequest += 1
            return state.nextRequest
        }
    }

    /// Whether a compaction is in progress.
    var isRunning: Bool { state.withState { $0.isRunning } }

    /// Called by the log writer with the compaction boundary, or with the reason why it can't make one.
    func deliver(_ boundary: Result<CompactionBoundary, StoreError>) {
        state.withLock { held in
            held.state.boundary = boundary
            held.broadcast()
        }
    }

    /// Stops the thread and waits until it has ended. Requests that still wait fail with `.closed`. Blocks.
    func stop() {
        let waiting = state.withLock { held -> [Request] in
            held.state.isStopping = true
            held.broadcast()
            while held.state.hasThread { held.wait() }
            defer { held.state.waiting = [] }
            return held.state.waiting
        }
        for request in waiting { request.sleeper.resume(returning: .failure(.closed)) }
    }

    /// Whether the current compaction must stop: the store is being closed, or all callers that requested it were
    /// cancelled.
    var isCancelled: Bool { state.withState { $0.isStopping || $0.isGivenUp } }

    /// Cancels a request whose task was cancelled.
    func cancel(_ id: UInt64) {
        let request = state.withLock { held -> Request? in
            if let index = held.state.waiting.firstIndex(where: { $0.id == id }) {
                return held.state.waiting.remove(at: index)
            }
            guard let index = held.state.served.firstIndex(where: { $0.id == id }) else { return nil }
            let request = held.state.served.remove(at: index)
            if held.state.served.isEmpty { held.state.isGivenUp = true }
            return request
        }
        request?.sleeper.resume(returning: .failure(.compactionCancelled))
    }

    /// Reports progress to the callers that wait for the current compaction.
    func report(_ progress: CompactionProgress) {
        let listeners = state.withState { $0.served.compactMap(\.progress) }
        for listener in listeners { listener(progress) }
    }
}

extension Store {
    /// Compaction statistics since the store was opened.
    public struct CompactionStatistics: Sendable, Hashable {
        /// Whether a compaction is running.
        public var isRunning = false
        /// Number of completed compactions.
        public var completed: UInt64 = 0
        /// Number of failed compactions.
        public var failed: UInt64 = 0
        /// Bytes written by compactions.
        public var writtenBytes: UInt64 = 0
        /// The newest snapshot, even if an earlier opening wrote it.
        public var snapshot: SnapshotDescription?
        /// The report of the last completed compaction of this opening.
        public var last: CompactionReport?
        /// Why the last compaction failed; nil after one succeeds.
        public var failure: String?
    }
}
