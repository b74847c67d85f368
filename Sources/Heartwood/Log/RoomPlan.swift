internal import HeartwoodFormat

/// How room in a segment is laid ahead of the writer. Pure.
///
/// Blocks that were written before are cheaper to sync: an 8 KiB write and fdatasync took 257 µs on blocks that were
/// only allocated and 104 µs on zeroed ones. So room is allocated in steps that double from 256 KiB to 4 MiB, and, while
/// commits are being synced, zeroed in pieces: zeroing 64 MiB at once made other syncs wait 25 ms.
struct RoomPlan: Sendable, Hashable {
    static let firstStep: UInt64 = 256 << 10
    static let lastStep: UInt64 = 4 << 20
    /// Zeroed at a time.
    static let zeroPiece: UInt64 = 128 << 10
    /// Kept free behind every commit for a mark at the next boundary.
    static let reserve: UInt64 = FormatConstants.markAlignment * 2

    /// The size that the segment is meant to have.
    private(set) var limit: UInt64
    /// Every batch may use the space before this offset; what is allocated from here on is for batches that only remove.
    private(set) var openEnd: UInt64
    /// Everything before is allocated.
    private(set) var allocatedEnd: UInt64
    /// Everything before is allocated and was written once.
    private(set) var zeroedEnd: UInt64
    /// Everything before may be stored to in the segment's mapping, as far as commits have not got there yet.
    private(set) var populatedEnd: UInt64 = 0
    /// How much of it is laid ahead next; and where commits are once it is to be.
    private var populatedStep = RoomPlan.zeroPiece
    private var populatedDue: UInt64 = 0
    /// How much is laid ahead next; handed on to the next segment's plan, so that a busy log stays ahead.
    private(set) var step: UInt64

    /// - Parameter need: Bytes of the commit that is known to come first; a segment is at least as large as that.
    init(limit: UInt64, need: UInt64, step: UInt64 = RoomPlan.firstStep) {
        self.limit = max(limit, UInt64(FormatConstants.fileHeaderSize) + need + Self.reserve)
        self.step = step
        openEnd = 0
        allocatedEnd = 0
        zeroedEnd = 0
    }

    /// A segment that is allocated already, for batches that only remove.
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

    /// Everything from the commits' end on was given back to the disk, but for the mark's room.
    ///
    /// - Returns: The size of the file with that; nil where nothing is to be given back.
    mutating func trim(end: UInt64) -> UInt64? {
        let size = (end + Self.reserve + 4095) & ~4095
        guard size < allocatedEnd else { return nil }
        (allocatedEnd, openEnd) = (size, min(openEnd, size))
        (zeroedEnd, populatedEnd) = (min(zeroedEnd, size), min(populatedEnd, size))
        return size
    }

    /// Lets the segment grow, so that a commit that ends at `end` fits.
    mutating func grow(toFit end: UInt64) {
        limit = max(limit, end + Self.reserve)
    }

    /// Whether a commit that ends at `end` has its room.
    func hasRoom(to end: UInt64) -> Bool { end + Self.reserve <= openEnd }

    /// The same for a batch that only removes.
    func hasRoomForRemoval(to end: UInt64) -> Bool { end + Self.reserve <= allocatedEnd }

    /// Whether a commit that ends at `end` can be stored to the mapping.
    @inline(__always)
    func isPopulated(to end: UInt64) -> Bool { end <= populatedEnd }

    /// Whether a commit that ends at `end` belongs into this segment at all.
    func fits(to end: UInt64) -> Bool { end + Self.reserve <= limit }

    /// Once commits reach up to here, the next segment is prepared.
    var spareDue: UInt64 { limit / 4 * 3 }

    /// The room to allocate next, when commits reach up to `end` so far and one more is to reach `need`.
    func nextAllocation(end: UInt64, need: UInt64) -> Range<UInt64>? {
        let wanted = max(end + step, need + Self.reserve)
        guard wanted > allocatedEnd, allocatedEnd < limit else { return nil }
        return allocatedEnd..<min(limit, max(wanted, allocatedEnd + step))
    }

    /// The least that serves a commit up to `need`, for a disk that has no more to give.
    func leastAllocation(need: UInt64) -> Range<UInt64>? {
        let wanted = min(limit, (need + Self.reserve + 4095) & ~4095)
        return wanted > allocatedEnd ? allocatedEnd..<wanted : nil
    }

    /// Takes the allocations of a plan that was a copy of this one.
    mutating func takeOver(_ copy: RoomPlan) {
        (openEnd, allocatedEnd, step) = (copy.openEnd, copy.allocatedEnd, copy.step)
    }

    /// Starts again with small steps.
    mutating func slowDown() { step = Self.firstStep }

    /// - Parameter isOpen: Whether every batch may use it.
    mutating func allocated(to end: UInt64, isOpen: Bool = true) {
        precondition(end > allocatedEnd)
        allocatedEnd = end
        if isOpen { openEnd = end }
        step = min(Self.lastStep, step * 2)
    }

    /// The piece to zero next, when commits reach up to `end`: nil while enough is zeroed. Behind what is populated, for
    /// commits may be stored there at any time.
    func nextZeroing(end: UInt64) -> Range<UInt64>? {
        let start = max(zeroedEnd, populatedEnd, (end + 4095) & ~4095)
        guard start < min(allocatedEnd, end + 2 * Self.zeroPiece) else { return nil }
        return start..<min(allocatedEnd, start + Self.zeroPiece)
    }

    /// The piece to populate next, when sealed commits reach up to `end`: nil while enough is.
    func nextPopulating(end: UInt64) -> Range<UInt64>? {
        let start = max(populatedEnd, end & ~4095)
        let wanted = min(allocatedEnd, (end + populatedStep + 4095) & ~4095)
        return start < wanted ? start..<wanted : nil
    }

    /// In steps that double from 128 KiB to 8 MiB: the next sync writes what nothing was stored to yet, too. From then on a
    /// quarter of a step at a time, so that the disk gets what was stored in small pieces.
    mutating func populated(to end: UInt64) {
        let last = 2 * Self.lastStep
        populatedEnd = end
        populatedDue = end - min(end, populatedStep == last ? last / 4 * 3 : populatedStep / 2)
        populatedStep = min(last, 2 * populatedStep)
    }

    /// Once commits that are stored to the mapping reach up to here, the log writer is to go on before any write waits for it.
    ///
    /// - Parameter end: Where they end now. What they write behind what is populated last is still to be brought to the disk.
    func nextDue(end: UInt64, hasSpare: Bool) -> UInt64 {
        min(populatedEnd < limit ? populatedDue : end + Self.lastStep / 2, hasSpare ? .max : spareDue)
    }

    mutating func zeroed(to end: UInt64) { zeroedEnd = max(zeroedEnd, end) }
}
