/// How much the log writer slows down when compaction can't keep up. Pure.
///
/// Writers don't wait for compaction. But if they are faster than compaction, the log grows without bound, and the next
/// opening takes longer. So the log writer is limited: from three times the log size at which compaction starts, to the
/// speed of the last compaction; from four times, to half of that. Writers notice it when the commit buffers are full.
/// (RocksDB and LevelDB stop writers completely in this case: write stalls.) The pause depends on bytes written,
/// because limiting the log writer's share of time is not enough: it needs only a third of the time to write what one
/// core puts.
enum WriteThrottle {
    /// The longest pause between two commits, in nanoseconds.
    static let longest: UInt64 = 100_000_000

    /// How long to wait after a commit, in nanoseconds.
    ///
    /// - Parameters:
    ///   - logBytes: Bytes of log that no snapshot covers.
    ///   - limit: Log size in bytes at which compaction starts.
    ///   - written: Bytes of the commit.
    ///   - elapsed: Time since the end of the previous commit, in nanoseconds.
    ///   - rate: Speed of compaction, in bytes per second.
    static func pause(logBytes: UInt64, limit: UInt64, written: UInt64, elapsed: UInt64, rate: UInt64) -> UInt64 {
        guard logBytes / 3 >= limit, limit > 0, rate > 0 else { return 0 }
        let share: UInt64 = logBytes / 4 >= limit ? 2 : 1
        let (scaled, overflow) = written.multipliedReportingOverflow(by: 1_000_000_000 * share)
        let due = overflow ? .max : scaled / rate
        return due > elapsed ? min(longest, due - elapsed) : 0
    }
}
