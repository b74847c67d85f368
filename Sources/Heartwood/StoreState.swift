extension Store {
    /// What a store can do now.
    public enum State: Sendable, Hashable {
        /// Everything is allowed.
        case ready
        /// Reads succeed. Writes succeed only if they fit in space that is already preallocated. Batches that only
        /// remove succeed until the reserve of 160 KiB is used up. The disk has no space for more, even for small
        /// writes. The store looks for space again automatically. A single write that is too large for the disk is
        /// refused without this state.
        case outOfSpace
        /// Only reads succeed. A write or sync failed; close the store and open it again to write.
        case failed
        /// Nothing is allowed: the store is closed, or is being closed.
        case closed
    }

    /// The contents and the activity of a store. Counters start at the opening.
    public struct Statistics: Sendable, Hashable {
        /// What the store can do now.
        public var state: State
        /// What recovery found when the store was opened.
        public var recovery: RecoveryReport
        /// Number of keys, including expired ones that are not compacted yet.
        public var keys: Int
        /// Number of versions of keys in the index, including older ones kept for readers. May include versions that
        /// are waiting to be freed.
        public var versions: Int
        /// Bytes of memory that the index uses: pages of nodes and versions, and long keys. Free pages that it keeps
        /// are not counted.
        public var indexBytes: Int
        /// Bytes of the records of the newest values. For records over 4 KiB it is up to a sixteenth too high.
        public var liveBytes: UInt64
        /// Bytes of the log's commits that no snapshot covers, without space that is only preallocated.
        public var logBytes: UInt64
        /// Bytes of the newest snapshot; 0 if there is none.
        public var snapshotBytes: UInt64
        /// Number of log segments, including those that a snapshot covers but that are still read.
        public var segments: Int
        /// Number of files that a snapshot has replaced and that still exist because a read view, scan or transaction
        /// reads from them.
        public var pinnedFiles: Int
        /// Bytes of log segments that a snapshot covers and that are kept: because of `logRetention`, or because a feed
        /// that began with ``Store/follow(in:level:)`` hasn't read them yet.
        public var retainedLogBytes: UInt64
        /// Number of feeds that began with ``Store/follow(in:level:)`` and keep the log until they have caught up.
        public var logHolds: Int
        /// Number of feeds that are running: iterators of ``Changes``, observations among them.
        public var feeds: Int
        /// How many batches of this opening readers see that the slowest feed's consumer isn't done with. 0 without
        /// feeds.
        public var feedLag: UInt64
        /// Number of read points that read views, scans and transactions have pinned. Pins of the same read point count
        /// once.
        public var pinnedStates: Int
        /// The sequence number of the newest write.
        public var lastSequence: SequenceNumber
        /// The sequence number up to which readers see writes.
        public var visibleSequence: SequenceNumber
        /// The sequence number up to which all writes are on the disk.
        public var syncedSequence: SequenceNumber
        /// Batches accepted; a single write is a batch of one.
        public var batches: UInt64
        /// Records accepted.
        public var records: UInt64
        /// Bytes of keys and values accepted, before compression.
        public var acceptedBytes: UInt64
        /// Commits written. `batches / commits` is the average number of writes that shared one.
        public var commits: UInt64
        /// Bytes written to the log.
        public var writtenBytes: UInt64
        /// Syncs of the log.
        public var syncs: UInt64
        /// Segments begun.
        public var rotations: UInt64
        /// How long writes have waited for room in the commit buffers or on the disk, summed over the writes.
        public var roomWaits: Duration
        /// How long the log writer has paused because writers were faster than compaction.
        public var throttling: Duration
        /// How far the store's time is ahead of the clock, because the clock was ahead before, or was set back. Zero
        /// otherwise.
        public var timeAhead: Duration
        /// How `.written` writes get into the log; nil before the first of them, because it isn't known yet.
        public var logWriting: LogWriting?
        /// What compaction has done.
        public var compaction: CompactionStatistics

        /// Bytes of log and snapshot that don't belong to newest values: what compaction would free, and the overhead
        /// of the format.
        public var deadBytes: UInt64 { logBytes + snapshotBytes - min(logBytes + snapshotBytes, liveBytes) }
        /// Bytes written to the disk per byte of key and value accepted, since the opening; nil before the first write.
        public var writeAmplification: Double? {
            acceptedBytes == 0 ? nil : Double(writtenBytes + compaction.writtenBytes) / Double(acceptedBytes)
        }
        /// Bytes of log and snapshot per byte of a newest value's record; nil if there are no values.
        public var spaceAmplification: Double? {
            liveBytes == 0 ? nil : Double(logBytes + snapshotBytes) / Double(liveBytes)
        }
    }
}
