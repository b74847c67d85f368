internal import HeartwoodConcurrency
internal import HeartwoodFormat

/// Space in the log: what is preallocated in the current segment, what writes have requested of the log writer, and the
/// writes that wait for it.
///
/// Invariant: a write that finds no space adds what it needs to `demands`, or asks the pipeline to empty the buffer, or
/// waits for a large write that did one of these. So the log writer wakes every write that waits.
struct LogSpace {
    var plan: PreallocationPlan
    /// When stored commits reach this offset, the log writer is to preallocate more.
    var due: UInt64 = 0
    /// The log writer is to preallocate space before a write waits for it.
    var wantsAhead = false
    var demands = Demands()
    private var waiters: [Waiter] = []
    /// Counts the times at which space appeared, so that a late waiter doesn't miss it.
    private(set) var generation: UInt64 = 0
    /// A write that is too large to find space among others: until it is accepted, no other write is.
    private var exclusiveTicket: UInt64?
    /// The ticket that was given out last.
    private var lastTicket: UInt64 = 0
    /// Why the last attempt to preallocate failed; nil after one that succeeded.
    var refusal: StoreError?

    init(_ plan: PreallocationPlan) { self.plan = plan }

    /// What writes request from the log writer's thread.
    struct Demands {
        /// Space up to this offset of the current segment.
        var space: UInt64?
        /// A new segment with space for a commit of this many bytes.
        var rotation: UInt64?
        /// The lengths of the largest and the smallest batch that requests it.
        var largest = 0
        var least = Int.max
        /// The length of the smallest batch that only removes; `.max` if there is none.
        var leastRemoval = Int.max
        /// Whether a batch that puts requests it.
        var hasPuts = false

        /// A compaction boundary: a rotation, unless the current segment has no records.
        var boundary = false
        /// Whether the new segment is to take as little as possible, because the snapshot may need all that the disk
        /// has left.
        var isSparing = false

        var hasRemovals: Bool { leastRemoval < .max }

        var isEmpty: Bool { space == nil && rotation == nil && !boundary }
    }

    /// A write that waits for space.
    private struct Waiter {
        let sleeper: Sleeper<StoreError?>
        /// The length of its batch.
        let length: Int
    }

    /// The log has rotated to another segment. That also serves the writes that requested it during the preparation.
    ///
    /// - Returns: The writes that waited.
    mutating func rotate(to plan: PreallocationPlan) -> [Sleeper<StoreError?>] {
        self.plan = plan
        due = plan.nextDue(end: 0, hasSpare: false)
        demands = Demands()
        return takeWaiters()
    }

    // MARK: - Requests

    mutating func makeTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    /// Whether a write must wait until another one is accepted.
    func isTaken(from ticket: UInt64) -> Bool { exclusiveTicket != nil && exclusiveTicket != ticket }

    /// Reserves the next acceptance for a large write. Otherwise small writes could fill each buffer before it, for
    /// ever.
    mutating func claim(_ ticket: UInt64) { if exclusiveTicket == nil { exclusiveTicket = ticket } }

    /// Ends the reservation of a write.
    ///
    /// - Returns: Whether the write had it.
    @discardableResult
    mutating func unclaim(_ ticket: UInt64) -> Bool {
        guard exclusiveTicket == ticket else { return false }
        exclusiveTicket = nil
        return true
    }

    // MARK: - Waiting writes

    var hasWaiters: Bool { !waiters.isEmpty }

    /// - Parameter length: The length of its batch.
    mutating func wait(_ sleeper: Sleeper<StoreError?>, for length: Int) {
        waiters.append(Waiter(sleeper: sleeper, length: length))
    }

    /// Space may have appeared: every waiting write is to try again. The caller resumes them outside the lock.
    mutating func takeWaiters() -> [Sleeper<StoreError?>] {
        generation &+= 1
        guard !waiters.isEmpty else { return [] }
        defer { waiters = [] }
        return waiters.map(\.sleeper)
    }

    /// The same, but separates the writes of `length` or more bytes.
    mutating func takeWaiters(
        from length: Int
    ) -> (tooLarge: [Sleeper<StoreError?>], others: [Sleeper<StoreError?>]) {
        let isTooLarge = waiters.map { $0.length >= length }
        let all = zip(takeWaiters(), isTooLarge)
        return (all.filter(\.1).map(\.0), all.filter { !$0.1 }.map(\.0))
    }
}

extension LogSpace.Demands {
    mutating func askForSpace(to end: UInt64, _ length: Int, removesOnly: Bool = false) {
        space = max(space ?? 0, end)
        note(length, removesOnly)
    }

    mutating func askForRotation(_ length: Int, removesOnly: Bool = false) {
        rotation = max(rotation ?? 0, UInt64(length + FormatConstants.commitHeaderSize))
        note(length, removesOnly)
    }

    private mutating func note(_ length: Int, _ removesOnly: Bool) {
        largest = max(largest, length)
        least = min(least, length)
        if removesOnly { leastRemoval = min(leastRemoval, length) } else { hasPuts = true }
    }
}

extension Log.State {
    /// Whether a batch of `length` bytes fits into the open commit now. If not, records what is missing.
    ///
    /// - Parameter removesOnly: Whether the batch may use the space that is kept for removals.
    @inline(__always)
    mutating func ensureSpace(for length: Int, removesOnly: Bool, ticket: UInt64, _ segments: SegmentTable) -> Bool {
        if space.isTaken(from: ticket) { return false }
        guard commits.current != nil else {
            space.demands.askForRotation(length, removesOnly: removesOnly)
            return false
        }
        let end = commits.open.offset + UInt64(commits.open.count + length)
        if !space.plan.fits(to: end), commits.holdsNothing {
            // A segment is named by its first sequence number, so one without records can't be followed by another.
            space.plan.grow(toFit: end)
            segments.extend(commits.current!, to: space.plan.limit)
        }
        if !space.plan.fits(to: end) {
            space.demands.askForRotation(length, removesOnly: removesOnly)
        } else if !commits.open.isEmpty, commits.open.count + length > commits.bufferBytes {
            commits.pipeline.requestWrite()
        } else if !(removesOnly ? space.plan.hasSpaceForRemoval(to: end) : space.plan.hasSpace(to: end)) {
            space.demands.askForSpace(to: end, length, removesOnly: removesOnly)
        } else {
            space.unclaim(ticket)
            return true
        }
        if length > commits.bufferBytes / 4 { space.claim(ticket) }
        return false
    }
}
