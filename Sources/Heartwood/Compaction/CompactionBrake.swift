/// How much the log writer holds back while a compaction can't keep up. Pure.
///
/// Writers wait for no compaction. But where they are faster than the disk lets it be, the log would grow without end,
/// and each byte of it costs the next opening time. So from three times the size at which the log is compacted on, the log
/// writer writes no faster than the last compaction has written its snapshot, and from four times on half as fast: writers
/// notice when the commit buffers are full. (Other engines stop writers altogether then: RocksDB's and LevelDB's write
/// stalls.) To share its time instead held nobody back: to write what a core can put takes a third of another's time.
enum CompactionBrake {
    /// The longest pause between two commits, in nanoseconds.
    static let longest: UInt64 = 100_000_000

    /// How long to wait after a commit, in nanoseconds.
    ///
    /// - Parameters:
    ///   - logBytes: Bytes of log that no snapshot covers.
    ///   - limit: Bytes at which the log is compacted.
    ///   - written: Bytes of the commit.
    ///   - elapsed: Since the end of the one before, in nanoseconds.
    ///   - rate: How fast compaction is, in bytes a second.
    static func pause(logBytes: UInt64, limit: UInt64, written: UInt64, elapsed: UInt64, rate: UInt64) -> UInt64 {
        guard logBytes / 3 >= limit, limit > 0, rate > 0 else { return 0 }
        let share: UInt64 = logBytes / 4 >= limit ? 2 : 1
        let (scaled, overflow) = written.multipliedReportingOverflow(by: 1_000_000_000 * share)
        let due = overflow ? .max : scaled / rate
        return due > elapsed ? min(longest, due - elapsed) : 0
    }
}
