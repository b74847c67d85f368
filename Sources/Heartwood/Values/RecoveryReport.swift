/// What an opening found.
public struct RecoveryReport: Sendable, Hashable {
    /// How the log ended.
    public enum Tail: Sendable, Hashable {
        /// There was no log: the store is new.
        case new
        /// The store was closed in order. It can't be known whether newer files were removed since then.
        case closed
        /// The store was not closed, but every commit is complete.
        case unclosed
        /// Bytes that were never known to be durable were skipped: an ordinary crash. `bytes` counts up to the last
        /// byte that isn't zero.
        case torn(file: String, offset: UInt64, bytes: UInt64)
    }

    /// How the log ended.
    public var tail = Tail.new
    /// Number of log segments that were read, without those that the snapshot covers.
    public var segments = 0
    /// Number of commits, without sync marks.
    public var commits = 0
    /// Number of batches, that is, of sequence numbers.
    public var batches: UInt64 = 0
    /// Number of records.
    public var records: UInt64 = 0
    /// Bytes of log that were read and verified.
    public var bytes: UInt64 = 0
    /// The newest sequence number that was recovered; 0 if there is none. Where a snapshot replaced a log without
    /// writes, it is the last number before the next opening's, and no write has it.
    public var lastSequence: SequenceNumber = 0
    /// The snapshot that was loaded; nil if there was only a log.
    public var snapshot: SnapshotDescription?
    /// Damaged snapshots that weren't needed, because the log that they cover still exists and is intact. The next
    /// compaction replaces them. Check the disk.
    public var skippedFiles: [String] = []
    /// How long the opening took.
    public var duration: Duration = .zero
}
