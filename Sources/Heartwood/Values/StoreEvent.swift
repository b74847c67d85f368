/// Something that happened in a store, for metrics, traces and logs; see ``Store/Configuration/observer``.
///
/// What happens more often than once in a sync is counted in ``Store/Statistics`` instead. Later versions may have more
/// cases, so a `switch` needs a `default`.
public enum StoreEvent: Sendable {
    /// The files are being read, before the store is open.
    case recoveryBegan
    /// The files have been read, and the store is about to open.
    case recovered(RecoveryReport)
    /// A sync of the log has ended, so everything that was written before it is on the disk.
    ///
    /// - Parameters:
    ///   - duration: How long the system call took.
    ///   - batches: How many batches are on the disk because of it.
    ///   - bytes: How many bytes of log these are.
    case synced(duration: Duration, batches: UInt64, bytes: UInt64)
    /// A compaction begins.
    case compactionBegan
    /// A compaction has ended. Its report has no snapshot if there was nothing to compact.
    case compacted(CompactionReport)
    /// A compaction has failed, or was cancelled. Nothing was dropped.
    case compactionFailed(StoreError)
    /// The disk is full: writes are refused until there is space.
    case outOfSpace(StoreError)
    /// The disk has space again.
    case spaceFound
    /// A write or a sync has failed: no more writes are accepted until the store is opened again.
    case failed(StoreError)
    /// The store is closed.
    case closed
}
