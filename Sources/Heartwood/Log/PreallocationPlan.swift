internal import HeartwoodFormat

/// How space in a segment is preallocated ahead of the writer. Pure.
///
/// Blocks that were written before are cheaper to sync: an 8 KiB write and fdatasync took 257 µs on blocks that were
/// only allocated and 104 µs on zeroed ones. So space is allocated in steps that double from 256 KiB to 4 MiB. While
/// commits are being synced, it is also zeroed in pieces: zeroing 64 MiB at once made other syncs wait 25 ms.
struct PreallocationPlan: Sendable, Hashable {
    static let firstStep: UInt64 = 256 << 10
    static let lastStep: UInt64 = 4 << 20
    /// Bytes that are zeroed at a time.
    static let zeroPiece: UInt64 = 128 << 10
    /// Kept free after every commit for a sync mark at the next boundary.
    static let reserve: UInt64 = FormatConstants.markAlignment * 2

    /// The intended size of the segment.
    private(set) var limit: UInt64
    /// Every batch may use the space before this offset. Allocated space after it is for batches that only remove.
    private(set) var openEnd: UInt64
    /// The space before this offset is allocated.
    private(set) var allocatedEnd: UInt64
    /// The space before this offset is allocated and was written once.
    private(set) var zeroedEnd: UInt64
    /// The space before this offset may be stored to in the segment's mapping, as far as commits have not reached it
    /// yet.
    private(set) var populatedEnd: UInt64 = 0
    /// How much is populated next, and the position of commits at which that is due.
    private var populatedStep = PreallocationPlan.zeroPiece
    private var populatedDue: UInt64 = 0
    /// How much is allocated next. Passed on to the next segment's plan, so that a busy log stays ahead.
    private(set) var step: UInt64

    /// - Parameter need: Bytes of the first commit, if known; a segment is large enough for it.
    init(limit: UInt64, need: UInt64, step: UInt64 = PreallocationPlan.firstStep) {
        self.limit = max(limit, UInt64(FormatConstants.fileHeaderSize) + need + Self.reserve)
        self.step = step
        openEnd = 0
        allocatedEnd = 0
        zeroedEnd = 0
    }

    /// A plan for a segment that is already allocated, for batches that only remove.
    init(reserved bytes: UInt64) {
        limit = bytes
        step = Self.firstStep
        openEnd = 0
        allocatedEnd = bytes
        zeroedEnd = bytes
    }

    /// Whether space is kept for batches that only remove.
    var isReserved: Bool { openEnd < allocatedEnd }

    /// Lets every batch use what is allocated, or only those that remove.
    mutating func open(_ isOpen: Bool) { openEnd = isOpen ? allocatedEnd : 0 }

    /// Removes the space after the commits from the plan, except that of a sync mark. The caller truncates the file.
    ///
    /// - Parameter end: The end of the commits.
    /// - Returns: The new size of the file; nil if there is nothing to free.
    mutating func trim(end: UInt64) -> UInt64? {
        let size = (end + Self.reserve + 4095) & ~4095
        guard size < allocatedEnd else { return nil }
        (allocatedEnd, openEnd) = (size, min(openEnd, size))
        (zeroedEnd, populatedEnd) = (min(zeroedEnd, size), min(populatedEnd, size))
        return size
    }

    /// Lets the segment grow for a commit that ends at `end`.
    mutating func grow(toFit end: UInt64) {
        limit = max(limit, end + Self.reserve)
    }

    /// Whether there is space for a commit that ends at `end`.
    func hasSpace(to end: UInt64) -> Bool { end + Self.reserve <= openEnd }

    /// The same for a batch that only removes.
    func hasSpaceForRemoval(to end: UInt64) -> Bool { end + Self.reserve <= allocatedEnd }

    /// Whether a commit that ends at `end` can be stored to the mapping.
    @inline(__always)
    func isPopulated(to end: UInt64) -> Bool { end <= populatedEnd }

    /// Whether a commit that ends at `end` fits into this segment.
    func fits(to end: UInt64) -> Bool { end + Self.reserve <= limit }

    /// The next segment is prepared when commits reach this offset.
    var spareDue: UInt64 { limit / 4 * 3 }

    /// The space to allocate next, if commits end at `end` so far and one more is to end at `need`.
    func nextAllocation(end: UInt64, need: UInt64) -> Range<UInt64>? {
        let wanted = max(end + step, need + Self.reserve)
        guard wanted > allocatedEnd, allocatedEnd < limit else { return nil }
        return allocatedEnd..<min(limit, max(wanted, allocatedEnd + step))
    }

    /// The least space for a commit that ends at `need`, for an almost full disk.
    func leastAllocation(need: UInt64) -> Range<UInt64>? {
        let wanted = min(limit, (need + Self.reserve + 4095) & ~4095)
        return wanted > allocatedEnd ? allocatedEnd..<wanted : nil
    }

    /// Takes the allocations of a changed copy of this plan.
    mutating func takeOver(_ copy: PreallocationPlan) {
        (openEnd, allocatedEnd, step) = (copy.openEnd, copy.allocatedEnd, copy.step)
    }

    /// Starts again with small steps.
    mutating func slowDown() { step = Self.firstStep }

    /// - Parameter isOpen: Whether every batch may use the space.
    mutating func allocated(to end: UInt64, isOpen: Bool = true) {
        precondition(end > allocatedEnd)
        allocatedEnd = end
        if isOpen { openEnd = end }
        step = min(Self.lastStep, step * 2)
    }

    /// The piece to zero next, if commits end at `end`; nil while enough is zeroed. It begins after the populated part,
    /// where commits may be stored at any time.
    func nextZeroing(end: UInt64) -> Range<UInt64>? {
        let start = max(zeroedEnd, populatedEnd, (end + 4095) & ~4095)
        guard start < min(allocatedEnd, end + 2 * Self.zeroPiece) else { return nil }
        return start..<min(allocatedEnd, start + Self.zeroPiece)
    }

    /// The piece to populate next, if sealed commits end at `end`; nil while enough is populated.
    func nextPopulating(end: UInt64) -> Range<UInt64>? {
        let start = max(populatedEnd, end & ~4095)
        let wanted = min(allocatedEnd, (end + populatedStep + 4095) & ~4095)
        return start < wanted ? start..<wanted : nil
    }

    /// Notes that space is populated. The steps double from 128 KiB to 8 MiB, because a sync also writes populated
    /// pages that nothing was stored to. With 8 MiB the log writer is due after each quarter of a step, so that
    /// writeback happens in small pieces.
    mutating func populated(to end: UInt64) {
        let last = 2 * Self.lastStep
        populatedEnd = end
        populatedDue = end - min(end, populatedStep == last ? last / 4 * 3 : populatedStep / 2)
        populatedStep = min(last, 2 * populatedStep)
    }

    /// The offset of stored commits at which the log writer is to continue, before any write waits for it.
    ///
    /// - Parameter end: The end of the stored commits now. When the whole segment is populated, the log writer is still
    ///   due for the writeback of what is stored after this.
    func nextDue(end: UInt64, hasSpare: Bool) -> UInt64 {
        min(populatedEnd < limit ? populatedDue : end + Self.lastStep / 2, hasSpare ? .max : spareDue)
    }

    mutating func zeroed(to end: UInt64) { zeroedEnd = max(zeroedEnd, end) }
}
