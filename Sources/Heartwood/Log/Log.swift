internal import HeartwoodConcurrency
internal import Synchronization

/// The write-ahead log of an opening: the actor that orders writes. Only the actor appends.
///
/// It fills the store's image, which is what readers have. The log writer, on a thread of its own, seals, writes and
/// syncs. The actor's executor (`LogExecutor`) is a lock, held for the time of a copy, never during I/O.
actor Log {
    nonisolated let image: StoreImage
    /// The number before the first write of this opening.
    nonisolated let openedAt: SequenceNumber
    nonisolated let configuration: Store.Configuration
    nonisolated let compaction: CompactionControl
    /// Runs compaction, which is above the log, on a thread of its own.
    nonisolated let compactor: @Sendable (Log) -> Void
    nonisolated let executor: LogExecutor
    /// Opens when writes become visible.
    nonisolated let visibleGate: SequenceGate
    /// Opens when writes are on the disk.
    nonisolated let syncedGate: SequenceGate
    /// The numbers up to which the consumers of the running feeds are done.
    nonisolated let feeds = Locked<[ObjectIdentifier: SequenceNumber]>([:])
    /// Unchecked at run time, because the executor excludes all other accesses: the checks cost 14 % of a put.
    @exclusivity(unchecked)
    var state: State

    init(
        _ image: StoreImage, configuration: Store.Configuration, lastSequence: SequenceNumber,
        uncovered: UncoveredLog, compaction: CompactionControl, compactor: @escaping @Sendable (Log) -> Void
    ) {
        self.image = image
        openedAt = lastSequence
        self.configuration = configuration
        self.compaction = compaction
        self.compactor = compactor
        visibleGate = SequenceGate(at: lastSequence)
        syncedGate = SequenceGate(at: lastSequence)
        executor = LogExecutor(sharing: image.index)
        state = State(
            commits: LogCommits(
                CommitPipeline(
                    lastSequence: lastSequence, lastAddress: image.index.visible, timing: configuration.timing),
                image.commits, bufferBytes: configuration.commitBufferBytes,
                logWriting: configuration.logWriting == .calls ? .calls : nil),
            space: LogSpace(PreallocationPlan(limit: UInt64(configuration.segmentBytes), need: 0)),
            uncovered: uncovered)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    nonisolated var directory: String { image.directory }
    nonisolated var index: VersionedIndex { image.index }
    nonisolated var segments: SegmentTable { image.segments }
    nonisolated var now: Timestamp { image.now }
    /// The clock that measures the log writer's delays.
    nonisolated var delays: DelayClock { configuration.delays }
}
