extension Store {
    /// What a store can do at the moment.
    public enum State: Sendable, Hashable {
        /// Everything.
        case ready
        /// Reads, writes that fit in space that is already allocated, and batches that only remove, as far as the reserve
        /// of 160 KiB goes. The disk has no space for more, even for small writes; the store looks for space again
        /// automatically. A write that alone is too large for the disk is refused without this.
        case outOfSpace
        /// Reads. A write or sync failed, and nothing more is accepted until the store is closed and opened again.
        case failed
        /// Nothing: it was closed, or is being closed.
        case closed
    }

    /// What a store holds and has done. Counters count from the opening.
    public struct Statistics: Sendable, Hashable {
        /// What the store can do at the moment.
        public var state: State
        /// Keys that are there, those that have expired but were not compacted yet among them.
        public var keys: Int
        /// Versions of keys that are kept, for readers and snapshots too. Of what was kept for a snapshot some may be
        /// counted that nobody can see any more: they go some hundred at a time.
        public var versions: Int
        /// Bytes of memory in use by the index: pages of nodes and versions, and long keys. Free pages that it keeps aren't
        /// counted.
        public var indexBytes: Int
        /// Bytes of the records of the newest values; for records over 4 KiB up to a sixteenth too many.
        public var liveBytes: UInt64
        /// Bytes of the log's commits that no snapshot covers, without room that is only allocated.
        public var logBytes: UInt64
        /// Bytes of the newest snapshot; 0 where there is none.
        public var snapshotBytes: UInt64
        /// Number of log segments, those among them that a snapshot covers and somebody still reads.
        public var segments: Int
        /// Files that a snapshot has replaced, and that are there because somebody holds a state that reads from them.
        public var heldFiles: Int
        /// Number of states that snapshots, scans and transactions hold; several that hold the same one count once.
        public var heldStates: Int
        /// The number of the newest write.
        public var lastSequence: SequenceNumber
        /// The number up to which readers see.
        public var visibleSequence: SequenceNumber
        /// The number up to which everything is on the disk.
        public var syncedSequence: SequenceNumber
        /// Batches accepted: single writes are batches of one.
        public var batches: UInt64
        /// Records accepted.
        public var records: UInt64
        /// Bytes of keys and values accepted, before compression.
        public var acceptedBytes: UInt64
        /// Commits written. `batches / commits` is how many writes shared one.
        public var commits: UInt64
        /// Bytes written to the log.
        public var writtenBytes: UInt64
        /// Syncs of the log.
        public var syncs: UInt64
        /// Segments begun.
        public var rotations: UInt64
        /// How `.written` writes get into the log; nil where it isn't known yet, before the first of them.
        public var logWriting: LogWriting?
        /// What compaction has done.
        public var compaction: CompactionStatistics

        /// Bytes of log and snapshot that aren't of newest values: what compaction would give back, and what the format
        /// takes.
        public var deadBytes: UInt64 { logBytes + snapshotBytes - min(logBytes + snapshotBytes, liveBytes) }
        /// Bytes written to the disk for each byte of key and value accepted, since the opening; nil before the first.
        public var writeAmplification: Double? {
            acceptedBytes == 0 ? nil : Double(writtenBytes + compaction.writtenBytes) / Double(acceptedBytes)
        }
        /// Bytes of log and snapshot for each byte of a newest value's record; nil where there are none.
        public var spaceAmplification: Double? {
            liveBytes == 0 ? nil : Double(logBytes + snapshotBytes) / Double(liveBytes)
        }
    }
}
