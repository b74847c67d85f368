/// What an opening found.
public struct RecoveryReport: Sendable, Hashable {
    /// How the log ended.
    public enum Tail: Sendable, Hashable {
        /// There was no log: the store is new.
        case new
        /// The store had been closed in order. That nobody removed newer files since then can't be known.
        case closed
        /// The store had not been closed, and every commit is whole.
        case unclosed
        /// Bytes that were never known to be durable were passed over: an ordinary crash. `bytes` counts those up to
        /// the last one that isn't zero.
        case torn(file: String, offset: UInt64, bytes: UInt64)
    }

    /// How the log ended.
    public var tail = Tail.new
    /// Number of log segments that were read: those that the snapshot doesn't cover.
    public var segments = 0
    /// Number of commits, marks not counted.
    public var commits = 0
    /// Number of batches: of sequence numbers.
    public var batches: UInt64 = 0
    /// Number of records.
    public var records: UInt64 = 0
    /// Bytes of log that were read and verified.
    public var bytes: UInt64 = 0
    /// The newest sequence number that was recovered; 0 where there is none.
    public var lastSequence: SequenceNumber = 0
    /// The snapshot that the opening began with; nil where the log was all there is.
    public var snapshot: SnapshotDescription?
    /// Snapshots that are damaged and weren't needed, because the log that they cover is still there, whole. The next
    /// compaction replaces them. Look at the disk.
    public var passedOver: [String] = []
    /// How long the opening took.
    public var duration: Duration = .zero
}

/// How far an opening is.
public struct RecoveryProgress: Sendable, Hashable {
    /// Bytes of the snapshot's keys and of log that were read so far.
    public var bytes: UInt64
    /// Bytes of them that there are.
    public var totalBytes: UInt64
    /// Keys of the snapshot and records of the log that were read so far.
    public var records: UInt64
}
