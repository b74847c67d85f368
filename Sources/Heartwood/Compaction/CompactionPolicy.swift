/// When a store compacts its log by itself.
///
/// Compaction writes all that is live into a snapshot, and drops the log that it replaces. What it costs: each one writes
/// the live bytes once, so the rarer, the less is written, the more room is taken, and the longer an opening after a
/// crash has to read.
public struct CompactionPolicy: Sendable, Hashable {
    /// Whether compaction starts by itself. True by default; without it, the log grows until `compact()` is called.
    public var isAutomatic = true
    /// Less log than this is not worth a compaction, in bytes. 256 MiB by default.
    public var minimumLogBytes: UInt64 = 256 << 20
    /// How large the log may grow for each live byte, 1 by default: with twice that, half as much is written by
    /// compaction, and a store takes up to three times the live bytes rather than two, besides what a compaction takes
    /// while it runs.
    public var logPerLiveByte = 1.0
    /// A size at which the log is compacted however much is live, in bytes; nil by default. It bounds the time that an
    /// opening takes. With more live bytes than this, each byte of log costs more than a byte of compaction: for 10 times as
    /// many, every write is written 11 times over.
    public var maximumLogBytes: UInt64?
    /// A number of log segments at which the log is compacted however small it is: each is a file that is kept open. 512
    /// by default. A store that is closed is compacted at 8 segments already, if it has one for each 64 KiB that is live, so
    /// that short openings, each of which makes one, leave no more than these.
    public var maximumSegments = 512
    /// How long what was written may lie in the log before it is compacted, however little that is; nil by default.
    /// Each time costs as much as there are live bytes.
    public var interval: Duration?

    /// The defaults.
    public init() {}

    /// Never by itself.
    public static var manual: CompactionPolicy {
        var policy = CompactionPolicy()
        policy.isAutomatic = false
        return policy
    }

    /// Bytes of log at which a store with so many live bytes is compacted.
    func logLimit(liveBytes: UInt64) -> UInt64 {
        let share = Double(liveBytes) * max(0, logPerLiveByte)
        let limit = max(minimumLogBytes, share < 0x1p62 ? UInt64(share) : .max)
        return min(limit, maximumLogBytes ?? .max)
    }
}
