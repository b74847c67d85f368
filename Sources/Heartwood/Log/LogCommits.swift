internal import HeartwoodFormat

/// The open commit and the one in flight, and where in the current segment they go.
///
/// Invariants: of the two buffers one is open, and the other is in flight or idle. In the current segment
/// `syncedEnd` <= `writtenEnd` <= `open.offset`, once it has its name.
struct LogCommits {
    var pipeline: CommitPipeline
    /// Takes records.
    private(set) var open: CommitBuffer
    /// Is being written. Stays here after a failure, because readers may see what it holds.
    private(set) var inFlight: CommitBuffer?
    /// The other buffer, while nothing is in flight.
    private var idle: CommitBuffer?
    /// The bytes that a buffer keeps. A commit has no more, but one of a single batch.
    let bufferBytes: Int

    /// Where the open commit goes; nil until the first write of this opening.
    private(set) var current: Segment?
    /// The current segment as memory; nil where commits go to it by calls.
    private(set) var mapping: LogMapping?
    /// How `.written` writes get into the log; nil before the first.
    private(set) var logWriting: LogWriting?
    /// Whether this segment has taken such a write, so that a mapping is of use.
    var usesMapping = false
    /// Whether a commit may be stored behind the last one: not before the segment has its name, nor while a mark is on its
    /// way to the place behind.
    private(set) var isAppendable = false

    /// Everything of the current segment before this offset is on disk: what the next commit says as its mark.
    private(set) var syncedEnd: UInt64 = 0
    /// The same once the sync that is under way has ended.
    private(set) var syncingEnd: UInt64 = 0
    /// Where the last commit of the current segment ends.
    private(set) var writtenEnd: UInt64 = 0

    init(_ pipeline: CommitPipeline, bufferBytes: Int, logWriting: LogWriting?) {
        self.pipeline = pipeline
        self.bufferBytes = bufferBytes
        self.logWriting = logWriting
        open = CommitBuffer(capacity: bufferBytes)
        idle = CommitBuffer(capacity: bufferBytes)
    }

    /// Whether the current segment has no record, in its file or on the way to it.
    var holdsNothing: Bool { pipeline.lastSequence + 1 == current?.header.firstSequence }

    // MARK: - Segments

    /// From here on what is accepted goes into this segment, which has no name yet.
    ///
    /// - Returns: The open commit, sealed, if it has records: it belongs into the segment before.
    mutating func turn(to segment: Segment, mapping: LogMapping?) -> Log.Sealed? {
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

    /// It was tried to map the current segment.
    mutating func mapped(_ mapping: LogMapping?) {
        self.mapping = mapping
        logWriting = mapping == nil ? .calls : .mapped
    }

    // MARK: - Commits

    /// Whether the open commit can be stored once it reaches up to `end`, as far as the mapping has room for it.
    @inline(__always)
    func isStorable(to end: UInt64) -> Bool {
        isAppendable && pipeline.isSealedWritten && pipeline.awaitsNoWrite && open.isStorable(to: end)
    }

    /// Stores the open commit to the mapping: it is in the kernel then, and the next one is behind it.
    @inline(__always)
    mutating func store(time: UInt64) {
        let header = open.header(first: pipeline.sealInPlace(), mark: syncedEnd, time: time)
        open.store(header, to: mapping.unsafelyUnwrapped)
        writtenEnd = open.offset
    }

    /// Seals the open commit and opens the next one behind it in the same segment.
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

    /// What is written is going to be synced.
    mutating func beginSync() {
        syncingEnd = writtenEnd
        pipeline.beginSync()
    }

    /// What was written when the sync began is on disk.
    mutating func synced(now: UInt64) {
        syncedEnd = syncingEnd
        pipeline.synced(now: now)
    }

    /// Makes room for a mark behind the last commit. Only while nothing is open.
    ///
    /// - Returns: The offset at which it goes.
    mutating func beginMark() -> UInt64 {
        let offset = markBoundary(from: open.offset)
        open.move(to: offset + UInt64(FormatConstants.commitHeaderSize))
        isAppendable = false
        return offset
    }

    /// The mark is on disk, and ends where the open commit begins.
    mutating func marked() {
        (writtenEnd, syncedEnd) = (open.offset, open.offset)
        isAppendable = true
        pipeline.marked()
    }
}
