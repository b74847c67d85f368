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
                commits: LogCommits(
                    CommitPipeline(
                        lastSequence: lastSequence, lastAddress: index.visible, timing: configuration.timing),
                    bufferBytes: configuration.commitBufferBytes,
                    logWriting: configuration.logWriting == .calls ? .calls : nil),
                room: LogRoom(RoomPlan(limit: UInt64(configuration.segmentBytes), need: 0)),
                uncovered: UncoveredLog(recoveredBytes: found.logBytes, recoveredRecords: found.logRecords)),
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
    nonisolated func noteTime(_ milliseconds: UInt64) {
        // Most commits are of the millisecond of the one before, and to look costs less than to try.
        if newestTime.load(ordering: .relaxed) < milliseconds { newestTime.max(milliseconds, ordering: .relaxed) }
    }

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
            for buffer in [state.commits.open, state.commits.inFlight] {
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
