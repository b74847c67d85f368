internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Logging
internal import Synchronization

/// The write-ahead log of an opening: the actor that gives writes their order, and what its callers, the log writer's
/// thread and the readers share.
///
/// The actor appends, and is the only one that does; the writer seals, writes and syncs; readers look for records that
/// aren't in a file yet. The state is the actor's, and the lock that guards it is its executor (`LogExecutor`), held for the
/// time of a copy, never over I/O.
actor Log {
    /// What belongs to the actor.
    struct State {
        var pipeline: CommitPipeline
        /// Takes records.
        var open: CommitBuffer
        /// Is being written. Stays here after a failure, because readers may see what it holds.
        var inFlight: CommitBuffer?
        /// The other buffer, while nothing is in flight.
        var idle: CommitBuffer?
        /// Where the open commit goes; nil until the first write of this opening.
        var current: Segment?
        /// The current segment as memory; nil where commits go to it by calls.
        var mapping: LogMapping?
        /// How `.written` writes get into the log; nil before the first.
        var logWriting: LogWriting?
        /// Whether this segment has taken such a write, so that a mapping is of use.
        var usesMapping = false
        /// Whether a commit may be stored behind the last one: not before the segment has its name, nor while a mark is on
        /// its way to the place behind.
        var isAppendable = false
        var room: RoomPlan
        /// Once a commit that is stored reaches up to here, the log writer is to lay more room.
        var roomDue: UInt64 = 0
        /// Everything of the current segment before this offset is on disk: what the next commit says as its mark.
        var syncedEnd: UInt64 = 0
        /// The same once the sync that is under way has ended.
        var syncingEnd: UInt64 = 0
        /// Where the last commit of the current segment ends.
        var writtenEnd: UInt64 = 0
        var demands = Demands()
        /// The log writer is to lay room, before anybody waits for it.
        var wantsRoomAhead = false
        var waiters: [Waiter] = []
        /// Counts the times at which room appeared, so that a waiter that comes late doesn't miss it.
        var roomGeneration: UInt64 = 0
        /// A write that is too large to find room beside others: until it is taken, nobody else is.
        var exclusiveTicket: UInt64?
        /// Why the last attempt to lay room failed; gone once one succeeds.
        var refusal: StoreError?
        /// Compaction waits for a cut: the next turn to a new segment makes it.
        var wantsCut = false
        /// What of the counter of written bytes lies in segments that the newest snapshot covers, and bytes of log that
        /// this opening found and no snapshot covers.
        var compactedBytes: UInt64 = 0
        var recoveredBytes: UInt64 = 0
        /// The same of records.
        var compactedRecords: UInt64 = 0
        var recoveredRecords: UInt64 = 0
        /// Bytes of log at which compaction is to look whether it is due.
        var compactionTrigger: UInt64 = .max
        /// Set once a write or sync has failed; final.
        var failure: StoreError? { didSet { noteLimits() } }
        var phase = Phase.running { didSet { noteLimits() } }
        /// The ticket of the last write that was tried.
        var lastTicket: UInt64 = 0
        /// Number of bodies of transactions that run.
        var transactions = 0 { didSet { noteLimits() } }
        /// Whether every write is accepted. One look for what is rarely otherwise: a failure, the end, a transaction.
        private(set) var acceptsAllWrites = true
        /// Those who wait for the close, and what it came to.
        var closers: [Sleeper<StoreError?>] = []
        var closeFailure: StoreError?
        /// The deadline of the writer's sleep, while it sleeps (`.max`: none).
        var writerSleepsUntil: UInt64?
        var counters = Counters()

        private mutating func noteLimits() {
            acceptsAllWrites = failure == nil && phase == .running && transactions == 0
        }
    }

    /// What writers ask of the log writer's thread.
    struct Demands {
        /// Room up to this offset of the current segment.
        var room: UInt64?
        /// A new segment with room for a commit of this many bytes.
        var rotation: UInt64?
        /// The batches for which it is asked: the length of the largest and of the smallest.
        var largest = 0
        var least = Int.max
        /// The length of the smallest batch that only removes; `.max` where there is none.
        var leastRemoval = Int.max
        /// Whether a batch that puts asks for it.
        var hasPuts = false

        /// A turn to a new segment, or what comes to the same, so that everything before can be compacted.
        var cut = false
        /// Whether the snapshot may need all that the disk has left.
        var isSparing = false

        var hasRemovals: Bool { leastRemoval < .max }

        var isEmpty: Bool { room == nil && rotation == nil && !cut }
    }

    /// A write that waits for room.
    struct Waiter {
        let sleeper: Sleeper<StoreError?>
        /// The length of its batch.
        let length: Int
    }

    enum Phase { case running, closing, abandoned, ended }

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

    nonisolated let directory: String
    nonisolated let configuration: Store.Configuration
    nonisolated let index: VersionedIndex
    nonisolated let segments: SegmentTable
    nonisolated let compaction: CompactionControl
    nonisolated let executor: LogExecutor
    /// Opens as writes become visible.
    nonisolated let visibleGate: SequenceGate
    /// Opens as writes reach the disk.
    nonisolated let syncedGate: SequenceGate
    /// Records before this address are in their files.
    nonisolated let unwrittenFrom: Atomic<UInt64>
    /// The time of the newest commit, in milliseconds: the store's now is never before it.
    nonisolated let newestTime: Atomic<UInt64>
    /// Set as soon as a close begins: reads and writes are refused from then on.
    nonisolated let closing = Atomic(false)

    init(
        directory: String, configuration: Store.Configuration, index: VersionedIndex, segments: SegmentTable,
        lastSequence: SequenceNumber, newestTime: UInt64, found: RecoveredFiles = RecoveredFiles()
    ) {
        self.directory = directory
        self.configuration = configuration
        self.index = index
        self.segments = segments
        self.newestTime = Atomic(newestTime)
        compaction = CompactionControl(configuration.compaction, found)
        unwrittenFrom = Atomic(segments.endAddress)
        visibleGate = SequenceGate(at: lastSequence)
        syncedGate = SequenceGate(at: lastSequence)
        executor = LogExecutor(
            State(
                pipeline: CommitPipeline(
                    lastSequence: lastSequence, lastAddress: index.visible, timing: configuration.timing),
                open: CommitBuffer(capacity: configuration.commitBufferBytes),
                idle: CommitBuffer(capacity: configuration.commitBufferBytes),
                logWriting: configuration.logWriting == .calls ? .calls : nil,
                room: RoomPlan(limit: UInt64(configuration.segmentBytes), need: 0),
                recoveredBytes: found.logBytes, recoveredRecords: found.logRecords),
            sharing: index.state)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The state, for the actor's methods.
    @inline(__always)
    var state: State {
        _read { yield executor.pointer.pointee }
        _modify { yield &executor.pointer.pointee }
    }

    /// Calls `body` with the state. For those who are on no actor.
    @inline(__always)
    nonisolated func withState<R: ~Copyable, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        try executor.withState(body)
    }

    /// The same, for those who wait for a change.
    @inline(__always)
    nonisolated func withLock<R: ~Copyable, E: Error>(
        _ body: (inout ConditionLock<State>.Held) throws(E) -> R
    ) throws(E) -> R {
        try executor.withLock(body)
    }

    /// The clock of commits and expiry never goes back behind this.
    nonisolated func noteTime(_ milliseconds: UInt64) { newestTime.max(milliseconds, ordering: .relaxed) }

    /// The store's now: never before the newest commit, so that a clock that was set back revives nothing.
    nonisolated var now: Timestamp {
        Timestamp(milliseconds: max(configuration.clock.now().milliseconds, newestTime.load(ordering: .relaxed)))
    }

    /// The clock that the writer's delays go by.
    nonisolated var delays: DelayClock { configuration.delays }

    /// Whether a record may not be in its file yet.
    @inline(__always)
    nonisolated func mayBePending(_ place: Place) -> Bool { place.address >= unwrittenFrom.load(ordering: .acquiring) }

    /// A copy of a record that isn't in its file yet; nil when it is (look there).
    nonisolated func pendingRecord(at place: Place) -> [UInt8]? {
        mayBePending(place) ? copyOfPending(place) : nil
    }

    @inline(never)
    private nonisolated func copyOfPending(_ place: Place) -> [UInt8]? {
        withState { state in
            for buffer in [state.open, state.inFlight] {
                if let buffer, let segment = buffer.segment, place.address >= segment.baseAddress,
                    let bytes = buffer.copy(
                        at: (place.address - segment.baseAddress) << 3, length: place.lengthBound)
                {
                    return bytes
                }
            }
            return nil
        }
    }
}
