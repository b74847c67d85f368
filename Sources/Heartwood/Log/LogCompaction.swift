internal import HeartwoodFormat

/// What a compaction starts with: a read point that includes everything accepted so far, and the end of that log.
struct CompactionBoundary: Sendable {
    /// Pinned until the compaction has read it.
    let point: ReadPoint
    /// The end of the last segment before the boundary, which the next segment names as its predecessor. Nil if there
    /// is none.
    let end: FileHeader.Predecessor?
    /// The files that contain it. A snapshot of it replaces all of them.
    let covered: [Segment]
    /// The counters of written bytes and of records at the boundary.
    let bytes: UInt64
    let records: UInt64
}

/// What the log needs of compaction, which is above it.
protocol LogCompaction: AnyObject, Sendable {
    /// Whether a compaction is in progress.
    var isRunning: Bool { get }

    /// The log is so long, or has so many segments, that a compaction may be due.
    func logHasGrown(_ log: Log)

    /// How long the log writer must pause after a commit, in nanoseconds; usually 0.
    func pause(in log: Log, written: UInt64, elapsed: UInt64) -> UInt64

    /// The log writer has set the boundary that was requested, or could not.
    func deliver(_ boundary: Result<CompactionBoundary, StoreError>)

    /// Ends compaction, and returns when its thread has ended. Blocks.
    func stop()
}
