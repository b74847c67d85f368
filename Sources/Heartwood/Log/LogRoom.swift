internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Space in the log: what is preallocated in the current segment, what writes have requested of the log writer, and the
/// writes that wait for it.
///
/// Invariant: a write that finds no space leaves what it needs in `demands`, or asks the pipeline to empty the buffer, or
/// finds that a large write ahead of it did. So the log writer wakes every write that waits.
struct LogRoom {
    var plan: RoomPlan
    /// Once a commit that is stored reaches up to here, the log writer is to lay more.
    var due: UInt64 = 0
    /// The log writer is to lay room, before anybody waits for it.
    var wantsAhead = false
    var demands = Demands()
    private var waiters: [Waiter] = []
    /// Counts the times at which room appeared, so that a waiter that comes late doesn't miss it.
    private(set) var generation: UInt64 = 0
    /// A write that is too large to find space beside others: until it is accepted, no other write is.
    private var exclusiveTicket: UInt64?
    /// The ticket of the last write that was tried.
    private var lastTicket: UInt64 = 0
    /// Why the last attempt to lay room failed; gone once one succeeds.
    var refusal: StoreError?

    init(_ plan: RoomPlan) { self.plan = plan }

    /// What writers ask of the log writer's thread.
    struct Demands {
        /// Room up to this offset of the current segment.
        var room: UInt64?
        /// A new segment with room for a commit of this many bytes.
        var rotation: UInt64?
        /// The batches for which it is asked: the length of the largest and of the smallest.
        var largest = 0
        var least = Int.max
        /// The length of the smallest batch that only removes; `.max` where there is none.
        var leastRemoval = Int.max
        /// Whether a batch that puts asks for it.
        var hasPuts = false

        /// A turn to a new segment, or what comes to the same, so that everything before can be compacted.
        var cut = false
        /// Whether the snapshot may need all that the disk has left.
        var isSparing = false

        var hasRemovals: Bool { leastRemoval < .max }

        var isEmpty: Bool { room == nil && rotation == nil && !cut }
    }

    /// A write that waits for room.
    private struct Waiter {
        let sleeper: Sleeper<StoreError?>
        /// The length of its batch.
        let length: Int
    }

    /// The log has rotated to another segment, which also serves the writes that asked for it while it was prepared.
    ///
    /// - Returns: The writes that waited.
    mutating func turn(to plan: RoomPlan) -> [Sleeper<StoreError?>] {
        self.plan = plan
        due = plan.nextDue(end: 0, hasSpare: false)
        demands = Demands()
        return takeWaiters()
    }

    // MARK: - Those who ask

    mutating func makeTicket() -> UInt64 {
        lastTicket += 1
        return lastTicket
    }

    /// Whether a write must wait until another one is taken.
    func isTaken(from ticket: UInt64) -> Bool { exclusiveTicket != nil && exclusiveTicket != ticket }

    /// A large write would wait for ever while small ones fill each buffer before it: it gets the next turn.
    mutating func claim(_ ticket: UInt64) { if exclusiveTicket == nil { exclusiveTicket = ticket } }

    /// A write doesn't need the next turn any more.
    ///
    /// - Returns: Whether it was its.
    @discardableResult
    mutating func unclaim(_ ticket: UInt64) -> Bool {
        guard exclusiveTicket == ticket else { return false }
        exclusiveTicket = nil
        return true
    }

    // MARK: - Those who wait

    var hasWaiters: Bool { !waiters.isEmpty }

    /// - Parameter length: That of its batch.
    mutating func wait(_ sleeper: Sleeper<StoreError?>, for length: Int) {
        waiters.append(Waiter(sleeper: sleeper, length: length))
    }

    /// Room may have appeared: everybody who waits is to try again. The caller resumes them outside the lock.
    mutating func takeWaiters() -> [Sleeper<StoreError?>] {
        generation &+= 1
        guard !waiters.isEmpty else { return [] }
        defer { waiters = [] }
        return waiters.map(\.sleeper)
    }

    /// The same, with those apart that have as many bytes as `length`, or more.
    mutating func takeWaiters(
        from length: Int
    ) -> (tooLarge: [Sleeper<StoreError?>], others: [Sleeper<StoreError?>]) {
        let isTooLarge = waiters.map { $0.length >= length }
        let all = zip(takeWaiters(), isTooLarge)
        return (all.filter(\.1).map(\.0), all.filter { !$0.1 }.map(\.0))
    }
}

extension LogRoom.Demands {
    mutating func askForRoom(to end: UInt64, _ length: Int, removesOnly: Bool = false) {
        room = max(room ?? 0, end)
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
    /// Whether a batch of `length` bytes can go into the open commit now; if not, notes what it lacks.
    ///
    /// - Parameter removesOnly: Whether the batch may use the space that is kept for removals.
    @inline(__always)
    mutating func makeRoom(for length: Int, removesOnly: Bool, ticket: UInt64, _ segments: SegmentTable) -> Bool {
        if room.isTaken(from: ticket) { return false }
        guard commits.current != nil else {
            room.demands.askForRotation(length, removesOnly: removesOnly)
            return false
        }
        let end = commits.open.offset + UInt64(commits.open.count + length)
        if !room.plan.fits(to: end), commits.holdsNothing {
            // A segment is named by its first number, so one without records can't be followed by another.
            room.plan.grow(toFit: end)
            segments.extend(commits.current!, to: room.plan.limit)
        }
        if !room.plan.fits(to: end) {
            room.demands.askForRotation(length, removesOnly: removesOnly)
        } else if !commits.open.isEmpty, commits.open.count + length > commits.bufferBytes {
            commits.pipeline.requestWrite()
        } else if !(removesOnly ? room.plan.hasRoomForRemoval(to: end) : room.plan.hasRoom(to: end)) {
            room.demands.askForRoom(to: end, length, removesOnly: removesOnly)
        } else {
            room.unclaim(ticket)
            return true
        }
        if length > commits.bufferBytes / 4 { room.claim(ticket) }
        return false
    }
}
