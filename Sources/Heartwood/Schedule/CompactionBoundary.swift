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
