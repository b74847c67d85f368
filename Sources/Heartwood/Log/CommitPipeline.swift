/// The bookkeeping of group commit: which write has which number, what is written, what is synced, up to where readers
/// may see, and what the log writer is to do next and when. Pure: no I/O, no clock, no threads; times come in as
/// nanoseconds of any clock that never goes back.
///
/// A write goes through: accepted into the *open* commit; sealed; written to the kernel; synced to the disk. A commit that is
/// formed in a mapping of its file is written as soon as it is sealed, at any time; one that is not is *in flight* until the
/// log writer has written it. At most one is, and a sync is of what was written when it began.
///
/// **Visibility follows durability.** A write is visible when no write up to it waits for what it was promised:
/// `visible` is the number before the first one that still waits, or the last number if none does.
package struct CommitPipeline: Sendable {
    /// What a commit holds, as far as the pipeline cares.
    struct Content: Sendable, Hashable {
        /// The number of the first batch.
        var first: SequenceNumber
        /// The number of the last batch.
        var last: SequenceNumber
        /// The first batch that waits to be written; nil once it is.
        var firstWritten: SequenceNumber?
        /// The first batch that waits to be synced.
        var firstSynced: SequenceNumber?
        /// What readers may see while those two wait: the address of the last record before each.
        var addressBeforeWritten: UInt64 = 0
        var addressBeforeSynced: UInt64 = 0
        /// When the first batch was accepted.
        var acceptedAt: UInt64
    }

    /// Delays, in nanoseconds.
    package struct Timing: Sendable, Hashable {
        /// After which a buffered write goes to the kernel (the promise is 10 ms). `.max`, here as below: never.
        package var write: UInt64 = 5_000_000
        /// After which what is written is synced in the background (the promise is a second).
        package var sync: UInt64 = 500_000_000
        /// After the last sync, when nothing follows, until a mark says that all before it is durable.
        package var mark: UInt64 = 50_000_000

        package init() {}

        /// When a delay that began at `start` is over; `.max`: never.
        @inline(__always)
        static func end(of delay: UInt64, from start: UInt64) -> UInt64 {
            let (end, isBeyond) = start.addingReportingOverflow(delay)
            return isBeyond ? .max : end
        }
    }

    /// What the log writer is to do now.
    enum Work: Sendable, Hashable {
        /// Seal the open commit and write it, and sync it where `sync` says so.
        case commit(sync: Bool)
        /// Sync what is written.
        case sync
        /// Write a mark.
        case mark
        /// Nothing before `until`, or before something is accepted.
        case sleep(until: UInt64?)
    }

    let timing: Timing
    /// The number of the newest batch.
    private(set) var lastSequence: SequenceNumber
    /// The address of its last record.
    private(set) var lastAddress: UInt64
    /// The number up to which everything is on disk.
    private(set) var syncedSequence: SequenceNumber
    /// The number up to which everything is in the kernel.
    private(set) var writtenSequence: SequenceNumber
    /// The number up to which commits are sealed.
    private(set) var sealedSequence: SequenceNumber
    /// What was accepted since the last commit that the log writer took: not sealed yet, or waiting for a sync.
    private(set) var open: Content?
    /// What the log writer writes or syncs.
    private(set) var inFlight: Content?
    /// What the sync that is under way makes durable.
    private var syncingThrough: SequenceNumber = 0
    /// Whether somebody asked for everything accepted so far to be synced.
    private(set) var syncRequestedThrough: SequenceNumber = 0
    /// When the first batch that is not yet synced was accepted.
    private(set) var unsyncedSince: UInt64?
    /// When the last sync ended, unless a mark already covers it.
    private(set) var markDueSince: UInt64?
    /// Whether the open commit is to go at once, asked for or not.
    private var openIsUrgent = false

    init(lastSequence: SequenceNumber, lastAddress: UInt64 = 0, timing: Timing = Timing()) {
        self.timing = timing
        self.lastSequence = lastSequence
        self.lastAddress = lastAddress
        syncedSequence = lastSequence
        writtenSequence = lastSequence
        sealedSequence = lastSequence
    }

    /// The number up to which readers may see.
    var visible: SequenceNumber { visiblePoint.sequence }

    /// The same, with the address up to which that is.
    var visiblePoint: HeldPoint {
        var point = HeldPoint(address: lastAddress, sequence: lastSequence)
        if let inFlight { inFlight.limit(&point) }
        if let open { open.limit(&point) }
        return point
    }

    /// Accepts a batch into the open commit.
    ///
    /// - Parameter address: That of its last record.
    /// - Returns: Its number, and whether it is visible at once.
    mutating func accept(
        _ durability: Durability.Level, now: UInt64, address: UInt64 = 0
    ) -> (sequence: SequenceNumber, isVisible: Bool) {
        let before = lastAddress
        lastAddress = address
        lastSequence += 1
        let sequence = lastSequence
        if open == nil {
            open = Content(
                first: sequence, last: sequence, firstWritten: nil, firstSynced: nil, acceptedAt: now)
        } else {
            open!.last = sequence
        }
        switch durability {
        case .buffered:
            let blocked =
                inFlight?.firstWritten != nil || inFlight?.firstSynced != nil || open!.firstWritten != nil
                || open!.firstSynced != nil
            return (sequence, !blocked)
        case .written:
            if open!.firstWritten == nil {
                open!.firstWritten = sequence
                open!.addressBeforeWritten = before
            }
        case .synced:
            if open!.firstSynced == nil {
                open!.firstSynced = sequence
                open!.addressBeforeSynced = before
            }
        }
        return (sequence, false)
    }

    /// Asks for everything accepted so far to be synced soon.
    mutating func requestSync() {
        syncRequestedThrough = lastSequence
    }

    /// Asks for everything up to a number to be synced soon. What a sync that is under way brings to the disk needs no other.
    ///
    /// - Returns: Whether that is news.
    mutating func requestSync(through sequence: SequenceNumber) -> Bool {
        precondition(sequence <= lastSequence)
        guard sequence > max(syncedSequence, syncingThrough, syncRequestedThrough) else { return false }
        syncRequestedThrough = sequence
        return true
    }

    /// Asks for the open commit to be written without delay: its buffer is full.
    mutating func requestWrite() {
        if open != nil { openIsUrgent = true }
    }

    /// Numbering goes on behind this number. Only while nothing is open.
    mutating func skip(to next: SequenceNumber) {
        precondition(open == nil && inFlight == nil && next > lastSequence)
        lastSequence = next - 1
        writtenSequence = lastSequence
        sealedSequence = lastSequence
        syncedSequence = lastSequence
    }

    /// When what was written is synced though nobody asks for it.
    var backgroundSync: UInt64? { unsyncedSince.map { Timing.end(of: timing.sync, from: $0) } }

    /// Whether something accepted isn't sealed yet.
    @inline(__always)
    var hasUnsealed: Bool { sealedSequence < lastSequence }

    /// Whether everything that is sealed is in the kernel, so that a commit may come behind it there.
    @inline(__always)
    var isSealedWritten: Bool { writtenSequence == sealedSequence }

    /// Whether nobody waits for the open commit to be written.
    @inline(__always)
    var awaitsNoWrite: Bool { open.map { $0.firstWritten == nil } ?? true }

    /// What to do now; while a commit is in flight, what there is to do once it is done.
    func work(now: UInt64) -> Work {
        let backgroundSync = backgroundSync
        if let open {
            if open.firstSynced != nil || syncRequestedThrough > syncedSequence {
                return hasUnsealed ? .commit(sync: true) : .sync
            }
            let isSyncDue = backgroundSync.map { $0 <= now } ?? false
            let writeDue = Timing.end(of: timing.write, from: open.acceptedAt)
            if open.firstWritten != nil || openIsUrgent || writeDue <= now || isSyncDue {
                return .commit(sync: isSyncDue)
            }
            return .sleep(until: min(writeDue, backgroundSync ?? .max))
        }
        if let backgroundSync {
            let isDue = backgroundSync <= now || syncRequestedThrough > syncedSequence
            return isDue ? .sync : .sleep(until: backgroundSync)
        }
        if let markDueSince {
            let due = Timing.end(of: timing.mark, from: markDueSince)
            return due <= now ? .mark : .sleep(until: due)
        }
        return .sleep(until: nil)
    }

    /// The open commit is sealed and goes out; what is accepted from now on goes into the next.
    mutating func seal() -> Content {
        precondition(inFlight == nil && isSealedWritten && hasUnsealed)
        var sealed = open!
        sealed.first = sealedSequence + 1
        inFlight = sealed
        open = nil
        noteSealed(acceptedAt: sealed.acceptedAt)
        return sealed
    }

    /// The open commit is sealed, and in the kernel with that.
    ///
    /// - Returns: The number of its first batch.
    mutating func sealInPlace() -> SequenceNumber {
        precondition(isSealedWritten && hasUnsealed)
        let first = sealedSequence + 1
        noteSealed(acceptedAt: open!.acceptedAt)
        writtenSequence = lastSequence
        if open!.firstSynced == nil { open = nil } else { open!.firstWritten = nil }
        return first
    }

    @inline(__always)
    private mutating func noteSealed(acceptedAt: UInt64) {
        sealedSequence = lastSequence
        openIsUrgent = false
        if unsyncedSince == nil { unsyncedSince = acceptedAt }
    }

    /// The commit in flight is in the kernel, and waits for nothing else unless it is to be synced.
    mutating func written() {
        writtenSequence = inFlight!.last
        if inFlight!.firstSynced == nil { inFlight = nil } else { inFlight!.firstWritten = nil }
    }

    /// What is in the kernel is going to be synced.
    mutating func beginSync() {
        syncingThrough = writtenSequence
        unsyncedSince = nil
        guard let open, !hasUnsealed else { return }
        // Sealed in place, it waits for nothing but this.
        if inFlight == nil {
            inFlight = open
        } else if inFlight!.firstSynced == nil {
            (inFlight!.firstSynced, inFlight!.addressBeforeSynced) = (open.firstSynced, open.addressBeforeSynced)
        }
        self.open = nil
    }

    /// Everything that was in the kernel when the sync began is on the disk.
    mutating func synced(now: UInt64) {
        syncedSequence = syncingThrough
        inFlight = nil
        markDueSince = now
    }

    /// A mark is on the disk, or there is nothing that it could say.
    mutating func marked() {
        markDueSince = nil
    }
}

extension CommitPipeline.Content {
    /// Takes a point back to before the first batch of this commit that waits for what it was promised.
    fileprivate func limit(_ point: inout HeldPoint) {
        if let firstWritten, firstWritten <= point.sequence {
            point = HeldPoint(address: addressBeforeWritten, sequence: firstWritten - 1)
        }
        if let firstSynced, firstSynced <= point.sequence {
            point = HeldPoint(address: addressBeforeSynced, sequence: firstSynced - 1)
        }
    }
}
