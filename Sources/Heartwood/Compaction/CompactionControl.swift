internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Everything that was accepted at a moment, and where it ends: what a compaction begins with.
struct Cut: Sendable {
    /// Held until the compaction has read it.
    let point: HeldPoint
    /// The end of the last segment before: what the segment behind it names as its predecessor. Nil where there is none.
    let end: FileHeader.Predecessor?
    /// The files that hold it, all that a snapshot of it replaces.
    let covered: [Segment]
    /// What the counters of written bytes and of records were.
    let bytes: UInt64
    let records: UInt64
}

/// A log segment that a snapshot covers, and which is kept for whoever reads logs.
struct RetainedLog: Sendable, Hashable {
    var path: String
    var bytes: UInt64
}

/// What an opening found that compaction goes on from.
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

/// What the compactor's thread, the log writer's thread and those who ask for compaction share.
final class CompactionControl: Sendable {
    typealias Outcome = Result<CompactionReport, StoreError>

    /// Somebody who waits for a compaction that begins after he asked.
    struct Request: Sendable {
        let id: UInt64
        let sleeper: Sleeper<Outcome>
        let progress: (@Sendable (CompactionProgress) -> Void)?
    }

    struct State {
        var schedule: CompactionSchedule
        /// They get the next compaction.
        var waiting: [Request] = []
        /// They get the present one.
        var served: [Request] = []
        var nextRequest: UInt64 = 1
        var isRunning = false
        /// Whether the present compaction is to be given up, because all who asked for it have.
        var isGivenUp = false
        /// What the log writer made of the present request for a cut.
        var cut: Result<Cut, StoreError>?
        /// Whether it is to be looked whether a compaction is due, or files can go.
        var isPoked = false
        var hasThread = false
        /// Whether the thread sleeps.
        var isAsleep = false
        var isStopping = false
        /// How fast the last compaction was; before the first one as slow as a disk may be.
        var bytesPerSecond: UInt64 = 32 << 20
        /// Files that were replaced and that somebody may still read.
        var heldFiles = 0
        var statistics = Store.CompactionStatistics()
    }

    let state: ConditionLock<State>
    /// Covered segments that are kept, oldest first.
    let retained: Locked<[RetainedLog]>
    /// Damaged snapshots that the opening found.
    let damaged: [String]

    init(_ policy: CompactionPolicy, _ found: RecoveredFiles) {
        var state = State(schedule: CompactionSchedule(policy))
        state.statistics.snapshot = found.snapshot
        self.state = ConditionLock(state)
        retained = Locked(found.retained)
        damaged = found.damaged
    }

    /// A number for one who asks.
    func makeRequestID() -> UInt64 {
        state.withState { state in
            state.nextRequest += 1
            return state.nextRequest
        }
    }

    /// The log writer has made the cut, or can't.
    func deliver(_ cut: Result<Cut, StoreError>) {
        state.withLock { held in
            held.state.cut = cut
            held.broadcast()
        }
    }

    /// Ends the thread, and returns when it has ended; nobody gets a compaction from then on. Blocks.
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

    /// Whether the present compaction is to end: the store is closed, or nobody wants it any more.
    var isCancelled: Bool { state.withState { $0.isStopping || $0.isGivenUp } }

    /// A request's task was cancelled.
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

    /// Tells those who wait for the present compaction how far it is.
    func report(_ progress: CompactionProgress) {
        let listeners = state.withState { $0.served.compactMap(\.progress) }
        for listener in listeners { listener(progress) }
    }
}

extension Store {
    /// What compaction has done since the opening.
    public struct CompactionStatistics: Sendable, Hashable {
        /// Whether one is under way.
        public var isRunning = false
        /// How many were completed.
        public var completed: UInt64 = 0
        /// How many failed.
        public var failed: UInt64 = 0
        /// Bytes that they have written.
        public var writtenBytes: UInt64 = 0
        /// The newest snapshot, be it of an earlier opening.
        public var snapshot: SnapshotDescription?
        /// What the last one of this opening did.
        public var last: CompactionReport?
        /// Why the last one failed; nil once one succeeds.
        public var failure: String?
    }
}
