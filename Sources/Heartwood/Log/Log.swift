internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Logging
internal import Synchronization

/// The write-ahead log of an opening: the actor that orders writes, and the state that callers, the log writer's thread
/// and readers share.
///
/// Only the actor appends. The log writer seals, writes and syncs. Readers look here for records that aren't in a file
/// yet. The actor's executor (`LogExecutor`) is the lock that guards the state. It is held for the time of a copy,
/// never during I/O.
actor Log {
    nonisolated let directory: String
    nonisolated let storeID: StoreID
    /// The number before the first write of this opening.
    nonisolated let openedAt: SequenceNumber
    nonisolated let configuration: Store.Configuration
    nonisolated let index: VersionedIndex
    nonisolated let segments: SegmentTable
    nonisolated let compaction: any LogCompaction
    nonisolated let executor: LogExecutor
    /// Opens when writes become visible.
    nonisolated let visibleGate: SequenceGate
    /// Opens when writes are on the disk.
    nonisolated let syncedGate: SequenceGate
    /// Records before this address are in their files.
    nonisolated let unwrittenFrom: Atomic<UInt64>
    private nonisolated let time: StoreTime
    /// The numbers up to which the consumers of the running feeds are done.
    nonisolated let feeds = Locked<[ObjectIdentifier: SequenceNumber]>([:])
    /// Set when a close begins: from then on, reads and writes are refused.
    nonisolated let closing = Atomic(false)

    init(
        directory: String, storeID: StoreID, configuration: Store.Configuration, index: VersionedIndex,
        segments: SegmentTable,
        lastSequence: SequenceNumber, newestTime: UInt64, uncovered: UncoveredLog, compaction: any LogCompaction
    ) {
        self.directory = directory
        self.storeID = storeID
        openedAt = lastSequence
        self.configuration = configuration
        self.index = index
        self.segments = segments
        time = StoreTime(newest: newestTime, configuration.clock)
        self.compaction = compaction
        unwrittenFrom = Atomic(segments.endAddress)
        visibleGate = SequenceGate(at: lastSequence)
        syncedGate = SequenceGate(at: lastSequence)
        executor = LogExecutor(
            State(
                commits: LogCommits(
                    CommitPipeline(
                        lastSequence: lastSequence, lastAddress: index.visible, timing: configuration.timing),
                    bufferBytes: configuration.commitBufferBytes,
                    logWriting: configuration.logWriting == .calls ? .calls : nil),
                space: LogSpace(PreallocationPlan(limit: UInt64(configuration.segmentBytes), need: 0)),
                uncovered: uncovered),
            sharing: index)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The state, for the actor's methods.
    @inline(__always)
    var state: State {
        _read { yield executor.pointer.pointee }
        _modify { yield &executor.pointer.pointee }
    }

    /// Calls `body` with the state. For callers that are not on the actor.
    @inline(__always)
    nonisolated func withState<R: ~Copyable, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        try executor.withState(body)
    }

    /// The same, for callers that wait for a change.
    @inline(__always)
    nonisolated func withLock<R: ~Copyable, E: Error>(
        _ body: (inout ConditionLock<State>.Held) throws(E) -> R
    ) throws(E) -> R {
        try executor.withLock(body)
    }

    /// The store's time. See `StoreTime`.
    nonisolated var now: Timestamp { Timestamp(milliseconds: time.now(configuration.clock)) }

    /// Ensures that the store's time doesn't go back below that of a commit that was read.
    nonisolated func noteTime(_ milliseconds: UInt64) { time.note(milliseconds) }

    /// How far the store's time is ahead of the wall clock.
    nonisolated var timeAhead: Duration {
        let (now, wall) = (now.milliseconds, configuration.clock.now().milliseconds)
        return .milliseconds(Int64(clamping: now - min(now, wall)))
    }

    /// The clock that measures the log writer's delays.
    nonisolated var delays: DelayClock { configuration.delays }

    /// Whether a record may not be in its file yet.
    @inline(__always)
    nonisolated func mayBePending(_ location: RecordLocation) -> Bool {
        location.address >= unwrittenFrom.load(ordering: .acquiring)
    }

    /// A copy of a record that isn't in its file yet; nil if it is in its file.
    nonisolated func pendingRecord(at location: RecordLocation) -> [UInt8]? {
        mayBePending(location) ? copyOfPending(location) : nil
    }

    @inline(never)
    private nonisolated func copyOfPending(_ location: RecordLocation) -> [UInt8]? {
        withState { state in
            for buffer in [state.commits.open, state.commits.inFlight] {
                if let buffer, let segment = buffer.segment, location.address >= segment.baseAddress,
                    let bytes = buffer.copy(
                        at: (location.address - segment.baseAddress) << 3, length: location.lengthBound)
                {
                    return bytes
                }
            }
            return nil
        }
    }
}
