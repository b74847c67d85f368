/// When a store compacts its log automatically.
///
/// Compaction writes all live data into a snapshot and drops the log that the snapshot replaces. Each compaction writes
/// the live bytes once. Fewer compactions write less, but the store takes more space, and an opening after a crash has
/// more log to read.
public struct CompactionPolicy: Sendable, Hashable {
    /// Whether compaction starts automatically. True by default. If false, the log grows until `compact()` is called.
    public var isAutomatic = true
    /// The smallest log that is compacted because of its size, in bytes. 256 MiB by default. What was removed from the
    /// snapshot counts like log.
    public var minimumLogBytes: UInt64 = 256 << 20
    /// Maximum ratio of log bytes to live bytes, 1 by default. What has expired isn't live, and what was removed from
    /// the snapshot counts like log. With 2, compaction writes half as much, and the store takes up to three times the
    /// live bytes instead of two. A running compaction takes extra space.
    public var logPerLiveByte = 1.0
    /// A log size that always starts a compaction, in bytes, whatever the number of live bytes; nil by default. It
    /// bounds the time of an opening. If there are more live bytes than this, each byte of log costs more than one byte
    /// of compaction: with 10 times as many live bytes, every write is written 11 times in total.
    public var maximumLogBytes: UInt64?
    /// A number of log segments that always starts a compaction, because each segment is an open file. 512 by default.
    /// Closing a store compacts it at 8 segments if there is at least one segment per 64 KiB of live data. So short
    /// openings, which make one segment each, leave few files.
    public var maximumSegments = 512
    /// The longest time that a write stays in the log before it is compacted, however small the log is; nil by default.
    /// Each compaction writes all live bytes.
    public var interval: Duration?

    /// A policy with the default values.
    public init() {}

    /// No automatic compaction.
    public static var manual: CompactionPolicy {
        var policy = CompactionPolicy()
        policy.isAutomatic = false
        return policy
    }

    /// Log size in bytes at which a store with this many live bytes is compacted.
    func logLimit(liveBytes: UInt64) -> UInt64 {
        min(garbageLimit(liveBytes: liveBytes), maximumLogBytes ?? .max)
    }

    /// The same for log and removed bytes of the snapshot together.
    func garbageLimit(liveBytes: UInt64) -> UInt64 {
        let share = Double(liveBytes) * max(0, logPerLiveByte)
        return max(minimumLogBytes, share < 0x1p62 ? UInt64(share) : .max)
    }
}
