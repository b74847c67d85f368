/// How much the log writer holds back while a compaction can't keep up. Pure.
///
/// Writers wait for no compaction. But where they are faster than the disk lets it be, the log would grow without end,
/// and each byte of it costs the next opening time. So from twice the size at which the log is compacted on, the log
/// writer takes as long again as it was at work, and from four times on nine times as long: writers notice when the
/// commit buffers are full. (Other engines stop writers altogether then: RocksDB's and LevelDB's write stalls.)
enum CompactionBrake {
    /// The longest pause between two commits.
    static let longest: UInt64 = 20_000_000

    /// How long to wait after a commit, in nanoseconds.
    ///
    /// - Parameters:
    ///   - logBytes: Bytes of log that no snapshot covers.
    ///   - limit: Bytes at which the log is compacted.
    ///   - busy: How long the log writer was at work since its last pause, in nanoseconds.
    static func pause(logBytes: UInt64, limit: UInt64, busy: UInt64) -> UInt64 {
        guard logBytes / 2 >= limit, limit > 0 else { return 0 }
        let share: UInt64 = logBytes / 4 >= limit ? 9 : 1
        let (pause, overflow) = busy.multipliedReportingOverflow(by: share)
        return overflow ? longest : min(longest, pause)
    }
}
