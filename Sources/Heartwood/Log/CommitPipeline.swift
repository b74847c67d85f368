/// The state of group commit: which write has which sequence number, what is written, what is synced, what readers may
/// see, and what the log writer does next and when. Pure: no I/O, no clock, no threads. Times are nanoseconds of any
/// monotonic clock.
///
/// A write goes through four states: accepted into the *open* commit; sealed; written to the kernel; synced to the
/// disk. A commit that is stored to a mapping is written as soon as it is sealed, at any time. Any other commit is *in
/// flight* until the log writer has written it. At most one commit is in flight. A sync covers what was written when it
/// began.
///
/// **Visibility follows durability.** A write is visible when no write up to it waits for its durability. `visible` is
/// the sequence number before the first write that still waits, or the last one if no write waits.
package struct CommitPipeline: Sendable {
    /// What the pipeline needs to know about a commit.
    struct Content: Sendable, Hashable {
        /// The sequence number of the first batch.
        var first: SequenceNumber
        /// The sequence number of the last batch.
        var last: SequenceNumber
        /// The first batch that waits to be written; nil when it is written.
        var firstWritten: SequenceNumber?
        /// The first batch that waits to be synced.
        var firstSynced: SequenceNumber?
        /// What readers may see while these two wait: the address of the last record before each.
        var addressBeforeWritten: UInt64 = 0
        var addressBeforeSynced: UInt64 = 0
        /// When the first batch was accepted.
        var acceptedAt: UInt64
    }

    /// What the log writer has to do now.
    enum Work: Sendable, Hashable {
        /// Seal the open commit, write it, and sync it if `sync` is true.
        case commit(sync: Bool)
        /// Sync what is written.
        case sync
        /// Write a sync mark.
        case mark
        /// Wake the feeds that wait for what is readable now.
        case wakeFollowers
        /// Sleep until `until`, or until something is accepted.
        case sleep(until: UInt64?)
    }

    let timing: LogTiming
    /// The sequence number of the newest batch.
    private(set) var lastSequence: SequenceNumber
    /// The address of the newest batch's last record.
    private(set) var lastAddress: UInt64
    /// The sequence number up to which everything is on disk.
    private(set) var syncedSequence: SequenceNumber
    /// The sequence number up to which everything is in the kernel.
    private(set) var writtenSequence: SequenceNumber
    /// The sequence number up to which commits are sealed.
    private(set) var sealedSequence: SequenceNumber
    /// What was accepted since the last commit that the log writer took: not sealed yet, or waiting for a sync.
    private(set) var open: Content?
    /// What the log writer writes or syncs.
    private(set) var inFlight: Content?
    /// The sequence number up to which the current sync makes writes durable.
    private var syncingThrough: SequenceNumber = 0
    /// The sequence number up to which callers have requested a sync.
    private(set) var syncRequestedThrough: SequenceNumber = 0
    /// When the first unsynced batch was accepted.
    private(set) var unsyncedSince: UInt64?
    /// When the last sync ended, unless a sync mark already covers it.
    private(set) var markDueSince: UInt64?
    /// Whether the open commit is to be written immediately, even if no write waits for it.
    private var openIsUrgent = false
    /// The sequence number after which a feed waits for the next write that readers see; nil if none waits.
    var followedFrom: SequenceNumber?

    init(lastSequence: SequenceNumber, lastAddress: UInt64 = 0, timing: LogTiming = LogTiming()) {
        self.timing = timing
        self.lastSequence = lastSequence
        self.lastAddress = lastAddress
        syncedSequence = lastSequence
        writtenSequence = lastSequence
        sealedSequence = lastSequence
    }

    /// The sequence number up to which readers may see writes.
    var visible: SequenceNumber { visiblePoint.sequence }

    /// The same as a read point, with the address.
    var visiblePoint: ReadPoint {
        var point = ReadPoint(address: lastAddress, sequence: lastSequence)
        if let inFlight { inFlight.limit(&point) }
        if let open { open.limit(&point) }
        return point
    }

    /// Accepts a batch into the open commit.
    ///
    /// - Parameter address: The address of its last record.
    /// - Returns: Its sequence number, and whether it is visible immediately.
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

    /// Requests a sync of everything accepted so far.
    mutating func requestSync() {
        syncRequestedThrough = lastSequence
    }

    /// Requests a sync of everything up to a sequence number. The current sync counts, if it covers that number.
    ///
    /// - Returns: Whether a new sync is needed.
    mutating func requestSync(through sequence: SequenceNumber) -> Bool {
        precondition(sequence <= lastSequence)
        guard sequence > max(syncedSequence, syncingThrough, syncRequestedThrough) else { return false }
        syncRequestedThrough = sequence
        return true
    }

    /// Requests an immediate write of the open commit, because its buffer is full.
    mutating func requestWrite() {
        if open != nil { openIsUrgent = true }
    }

    /// Continues numbering at `next`. Only while nothing is open.
    mutating func skip(to next: SequenceNumber) {
        precondition(open == nil && inFlight == nil && next > lastSequence)
        lastSequence = next - 1
        writtenSequence = lastSequence
        sealedSequence = lastSequence
        syncedSequence = lastSequence
    }

    /// The sequence number up to which readers see writes and the files have them.
    var readable: SequenceNumber { min(visible, writtenSequence) }

    /// Whether a feed waits for a write that is readable now.
    var hasReadyFollower: Bool { followedFrom.map { $0 < readable } ?? false }

    /// When the open commit is written although no write waits for that, if it was accepted at this time.
    func writeDue(acceptedAt: UInt64) -> UInt64 {
        LogTiming.end(of: followedFrom == nil ? timing.write : min(timing.follow, timing.write), from: acceptedAt)
    }

    /// When written commits are synced without a request.
    var backgroundSync: UInt64? { unsyncedSince.map { LogTiming.end(of: timing.sync, from: $0) } }

    /// Whether something accepted isn't sealed yet.
    @inline(__always)
    var hasUnsealed: Bool { sealedSequence < lastSequence }

    /// Whether everything that is sealed is in the kernel, so that another commit may follow there.
    @inline(__always)
    var isSealedWritten: Bool { writtenSequence == sealedSequence }

    /// Whether no write waits for the open commit to be written.
    @inline(__always)
    var awaitsNoWrite: Bool { open.map { $0.firstWritten == nil } ?? true }

    /// What to do now. While a commit is in flight: what to do when that is finished.
    func work(now: UInt64) -> Work {
        if hasReadyFollower { return .wakeFollowers }
        let backgroundSync = backgroundSync
        if let open {
            if open.firstSynced != nil || syncRequestedThrough > syncedSequence {
                return hasUnsealed ? .commit(sync: true) : .sync
            }
            let isSyncDue = backgroundSync.map { $0 <= now } ?? false
            let writeDue = writeDue(acceptedAt: open.acceptedAt)
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
            let due = LogTiming.end(of: timing.mark, from: markDueSince)
            return due <= now ? .mark : .sleep(until: due)
        }
        return .sleep(until: nil)
    }

    /// Seals the open commit for writing. Batches accepted from now on go into the next one.
    mutating func seal() -> Content {
        precondition(inFlight == nil && isSealedWritten && hasUnsealed)
        var sealed = open!
        sealed.first = sealedSequence + 1
        inFlight = sealed
        open = nil
        noteSealed(acceptedAt: sealed.acceptedAt)
        return sealed
    }

    /// Seals the open commit, which is in the kernel at the same time.
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

    /// The commit in flight is in the kernel. It waits for nothing else unless it is to be synced.
    mutating func written() {
        writtenSequence = inFlight!.last
        if inFlight!.firstSynced == nil { inFlight = nil } else { inFlight!.firstWritten = nil }
    }

    /// A sync of what is in the kernel begins.
    mutating func beginSync() {
        syncingThrough = writtenSequence
        unsyncedSince = nil
        guard let open, !hasUnsealed else { return }
        // It was sealed in place, and waits only for this sync.
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

    /// A sync mark is on the disk, or none is needed.
    mutating func marked() {
        markDueSince = nil
    }
}

extension CommitPipeline.Content {
    /// Limits a read point to before the first batch of this commit that waits for its durability.
    fileprivate func limit(_ point: inout ReadPoint) {
        if let firstWritten, firstWritten <= point.sequence {
            point = ReadPoint(address: addressBeforeWritten, sequence: firstWritten - 1)
        }
        if let firstSynced, firstSynced <= point.sequence {
            point = ReadPoint(address: addressBeforeSynced, sequence: firstSynced - 1)
        }
    }
}
