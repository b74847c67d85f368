internal import HeartwoodFormat

/// The open commit and the one in flight, and their positions in the current segment.
///
/// Invariants: one of the two buffers is open; the other is in flight or idle. In the current segment `syncedEnd` <=
/// `writtenEnd` <= `open.offset`, once the segment has its name.
struct LogCommits {
    var pipeline: CommitPipeline
    /// Takes new records.
    private(set) var open: CommitBuffer
    /// Is being written. Stays here after a failure, because readers may see its records.
    private(set) var inFlight: CommitBuffer?
    /// The other buffer, while nothing is in flight.
    private var idle: CommitBuffer?
    /// The capacity that a buffer keeps. Only a commit of a single batch can be larger.
    let bufferBytes: Int

    /// The segment of the open commit; nil until the first write of this opening.
    private(set) var current: Segment?
    /// The mapping of the current segment; nil if commits are written to it by system calls.
    private(set) var mapping: LogMapping?
    /// How `.written` writes get into the log; nil before the first.
    private(set) var logWriting: LogWriting?
    /// Whether this segment has taken a `.written` write, so that a mapping is useful.
    var usesMapping = false
    /// Whether a commit may be stored after the last one. Not before the segment has its name, and not while a sync
    /// mark is being written at that position.
    private(set) var isAppendable = false

    /// Everything of the current segment before this offset is on disk. It is the sync mark of the next commit.
    private(set) var syncedEnd: UInt64 = 0
    /// The value of `syncedEnd` when the current sync has ended.
    private(set) var syncingEnd: UInt64 = 0
    /// The end of the last commit in the current segment.
    private(set) var writtenEnd: UInt64 = 0

    /// - Parameter buffers: Two, which belong to the store's image.
    init(_ pipeline: CommitPipeline, _ buffers: [CommitBuffer], bufferBytes: Int, logWriting: LogWriting?) {
        precondition(buffers.count == 2)
        self.pipeline = pipeline
        self.bufferBytes = bufferBytes
        self.logWriting = logWriting
        (open, idle) = (buffers[0], buffers[1])
    }

    /// Whether the current segment has no record, neither in its file nor in a buffer.
    var holdsNothing: Bool { pipeline.lastSequence + 1 == current?.header.firstSequence }

    // MARK: - Segments

    /// Makes a segment the current one. It has no name yet. What is accepted from now on goes into it.
    ///
    /// - Returns: The open commit, sealed, if it has records: it belongs to the previous segment.
    mutating func rotate(to segment: Segment, mapping: LogMapping?) -> Log.Sealed? {
        precondition(!holdsNothing, "two segments would have one name")
        let start = UInt64(FormatConstants.fileHeaderSize)
        let sealed = open.isEmpty ? nil : seal(next: segment, at: start)
        if sealed == nil { open.reset(segment: segment, offset: start, keeping: bufferBytes) }
        current = segment
        self.mapping = mapping
        usesMapping = false
        isAppendable = false
        return sealed
    }

    /// The current segment is durable under its name, and has no commit yet.
    mutating func placed() {
        syncedEnd = UInt64(FormatConstants.fileHeaderSize)
        writtenEnd = syncedEnd
        isAppendable = true
    }

    /// An attempt to map the current segment has ended.
    mutating func mapped(_ mapping: LogMapping?) {
        self.mapping = mapping
        logWriting = mapping == nil ? .calls : .mapped
    }

    // MARK: - Commits

    /// Whether the open commit can be stored when it ends at `end`. The caller checks that the mapping is populated so
    /// far.
    @inline(__always)
    func isStorable(to end: UInt64) -> Bool {
        isAppendable && pipeline.isSealedWritten && pipeline.awaitsNoWrite && open.isStorable(to: end)
    }

    /// Stores the open commit to the mapping. It is then in the kernel, and the next commit follows it.
    @inline(__always)
    mutating func store(time: UInt64) {
        let header = open.header(first: pipeline.sealInPlace(), mark: syncedEnd, time: time)
        open.store(header, to: mapping.unsafelyUnwrapped)
        writtenEnd = open.offset
    }

    /// Seals the open commit and opens the next one after it in the same segment.
    mutating func seal() -> Log.Sealed { seal(next: current, at: open.end) }

    private mutating func seal(next: Segment?, at offset: UInt64) -> Log.Sealed {
        let content = pipeline.seal()
        let sealed = open
        open = idle!
        idle = nil
        inFlight = sealed
        open.reset(segment: next, offset: offset, keeping: bufferBytes)
        return Log.Sealed(buffer: sealed, content: content, mark: syncedEnd)
    }

    /// A sealed commit has been written: its buffer is free again.
    mutating func written(_ sealed: Log.Sealed) {
        pipeline.written()
        writtenEnd = sealed.buffer.end
        inFlight = nil
        sealed.buffer.reset(segment: nil, offset: 0, keeping: bufferBytes)
        idle = sealed.buffer
    }

    // MARK: - Syncs and marks

    /// A sync of what is written begins.
    mutating func beginSync() {
        syncingEnd = writtenEnd
        pipeline.beginSync()
    }

    /// What was written when the sync began is on disk.
    mutating func synced(now: UInt64) {
        syncedEnd = syncingEnd
        pipeline.synced(now: now)
    }

    /// Reserves the position of a sync mark after the last commit. Only while nothing is open.
    ///
    /// - Returns: The offset of the sync mark.
    mutating func beginMark() -> UInt64 {
        let offset = markBoundary(from: open.offset)
        open.move(to: offset + UInt64(FormatConstants.commitHeaderSize))
        isAppendable = false
        return offset
    }

    /// The sync mark is on disk, and ends where the open commit begins.
    mutating func marked() {
        (writtenEnd, syncedEnd) = (open.offset, open.offset)
        isAppendable = true
        pipeline.marked()
    }
}
