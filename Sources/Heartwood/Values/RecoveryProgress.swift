/// The progress of an opening.
public struct RecoveryProgress: Sendable, Hashable {
    /// Bytes of the snapshot's keys and of log that are read so far.
    public var bytes: UInt64
    /// Total number of these bytes.
    public var totalBytes: UInt64
    /// Keys of the snapshot and records of the log that are read so far.
    public var records: UInt64
}
