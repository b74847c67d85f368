internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat
internal import Logging

/// Preallocation: space for the writes to come.
extension LogWriter {
    /// Time between attempts to find space on a full disk, in nanoseconds.
    static var probeInterval: UInt64 { 250_000_000 }

    /// The least number of bytes for which the system is asked to start writeback.
    static var writebackStep: Int { 1 << 20 }

    /// The most bytes that may be in writeback, apart from those of the last step.
    static var writebackWindow: UInt64 { 1 << 20 }

    /// Preallocates the space that writes wait for. If that fails, these writes are refused and the store continues:
    /// they have no sequence numbers yet, so nothing is lost.
    mutating func meet(_ demands: LogSpace.Demands) {
        // Decided once, because other threads write meanwhile. A segment without records already is a compaction
        // boundary.
        var rotates = demands.rotation != nil || demands.boundary && !log.withState { $0.commits.holdsNothing }
        do throws(Failure) {
            // Before a file is made: in a file system that binds no directory, it could be made in another one.
            if rotates { try checkFiles() }
            do throws(FileSystemError) {
                try provide(demands, rotates: rotates)
            } catch {
                guard let fromReserve = provideFromReserve(demands, rotates: rotates, after: error) else {
                    refuse(error, demands)
                    return
                }
                rotates = fromReserve
            }
            if isReserveWhole { accepted() }
            // A segment without records doesn't need a successor for a write that requested space: it grows.
            if rotates, log.withState({ !$0.commits.holdsNothing }) { try rotate() }
            deliverBoundary()
        } catch {
            fail(error)
        }
    }

    /// For batches that put, the reserve is filled first, and failure to do so is an error. Otherwise filling is tried,
    /// and if the reserve stays incomplete, the new space is only for removals.
    mutating func provide(_ demands: LogSpace.Demands, rotates: Bool) throws(FileSystemError) {
        if demands.hasPuts {
            try fillReserve()
        } else if demands.hasRemovals {
            try? fillReserve()
        }
        let isOpen = isReserveWhole
        if rotates {
            if demands.isSparing { trimCurrent() }
            try prepareSpare(need: demands.rotation ?? 0, isSparing: demands.isSparing)
            spare!.space.open(isOpen)
        } else if let need = demands.space {
            try preallocate(need: need, isOpen: isOpen)
        }
    }

    /// Work between commits: space for the writes to come, blocks that are cheap to sync, and the next segment. No
    /// write waits for any of it yet, so a failure is reported to the write that needs the space.
    mutating func prepare() {
        // Last, because it may wait for the disk.
        defer { if !isSyncing { startWriteback() } }
        if log.withState({ $0.space.plan.isReserved }) { return }
        do throws(FileSystemError) {
            if try preallocate(need: 0, isOpen: true), isReserveWhole { accepted() }
            if isSyncing { try zeroAhead() }
            let (end, space) = log.withState { ($0.commits.open.end, $0.space.plan) }
            if spare == nil, end > space.spareDue {
                try prepareSpare(need: 0)
                try mapSpare()
            }
            try populateAhead()
        } catch {
            log.configuration.logger?.debug("space could not be preallocated", metadata: ["cause": "\(error)"])
        }
    }

    /// Starts writeback of what the next sync would have to write. Without this, a sync wrote the data of half a second
    /// and took 30 ms and more, and writers waited for it. RocksDB has `wal_bytes_per_sync` for this purpose, and
    /// `strict_bytes_per_sync` for the wait. Without the wait, all of it may still be in writeback when a sync begins.
    private mutating func startWriteback() {
        let (segment, mapping, synced, written) = log.withState {
            ($0.commits.current, $0.commits.mapping, $0.commits.syncedEnd, $0.commits.writtenEnd)
        }
        guard let segment else { return }
        if writeback.segment != ObjectIdentifier(segment) { writeback = (ObjectIdentifier(segment), 0, 0) }
        // Without the last page: the next commit writes to it, and would wait until the page is on the disk.
        let part = max(synced, writeback.end) & ~4095..<max(synced, writeback.end, written) & ~4095
        guard part.count >= Self.writebackStep else { return }
        mapping?.release(before: part.upperBound)
        segment.file.startWriteback(from: part.lowerBound, count: UInt64(part.count), waiting: false)
        writeback.end = part.upperBound
        let arriving = max(synced & ~4095, writeback.arrived)
        guard part.upperBound >= arriving + Self.writebackWindow + UInt64(Self.writebackStep) else { return }
        writeback.arrived = part.upperBound - Self.writebackWindow
        segment.file.startWriteback(from: arriving, count: writeback.arrived - arriving, waiting: true)
    }

    // MARK: - Preallocation

    /// Allocates space for a commit that ends at `need`, and one step more.
    ///
    /// - Parameter isOpen: Whether every batch may use the space.
    /// - Returns: Whether the disk had space that was not allocated before.
    @discardableResult
    mutating func preallocate(need: UInt64, isOpen: Bool) throws(FileSystemError) -> Bool {
        let (segment, end, plan, opened) = log.withState { state in
            let opens = isOpen && state.space.plan.isReserved
            if opens { state.space.plan.open(true) }
            let waiters = opens ? state.space.takeWaiters() : []
            return (state.commits.current, state.commits.open.end, state.space.plan, waiters)
        }
        resume(opened)
        if need > 0, plan.hasSpaceForRemoval(to: need) { return false }
        guard let segment, let grown = try allocate(plan, of: segment.file, end: end, need: need, isOpen: isOpen)
        else { return false }
        let waiters = log.withState { state in
            // A write may have made the segment grow meanwhile.
            state.space.plan.takeOver(grown)
            return state.space.takeWaiters()
        }
        resume(waiters)
        return true
    }

    /// Brings preallocated space into memory for commits that are stored, if there are such commits and the file can be
    /// mapped.
    private mutating func populateAhead() throws(FileSystemError) {
        let (segment, mapped, uses, start, plan) = log.withState { state in
            // The commit that is open may be stored, too.
            (
                state.commits.current, state.commits.mapping, state.commits.usesMapping, state.commits.open.offset,
                state.space.plan
            )
        }
        guard uses, let segment else { return }
        var mapping = mapped
        if mapping == nil { mapping = try map(segment, plan) }
        guard let mapping else { return }
        if let range = plan.nextPopulating(end: start)?.clamped(to: 0..<mapping.count), !range.isEmpty {
            try mapping.populate(range)
            log.withState { $0.space.plan.populated(to: range.upperBound) }
        }
        log.withState { $0.space.due = $0.space.plan.nextDue(end: $0.commits.open.offset, hasSpare: spare != nil) }
    }

    /// Maps the current segment.
    private mutating func map(_ segment: Segment, _ plan: PreallocationPlan) throws(FileSystemError) -> LogMapping? {
        guard log.configuration.logWriting == .mapped, triedToMap != ObjectIdentifier(segment) else { return nil }
        triedToMap = ObjectIdentifier(segment)
        let mapping = try segment.file.mapForWriting(plan.limit)
        return log.withState { state in
            state.commits.mapped(mapping.map { LogMapping($0) })
            return state.commits.mapping
        }
    }

    /// The same for the next segment, so that no caller that stores commits waits for the log writer after the
    /// rotation.
    private mutating func mapSpare() throws(FileSystemError) {
        guard log.configuration.logWriting == .mapped,
            log.withState({ $0.commits.mapping != nil && $0.commits.usesMapping })
        else { return }
        let end = UInt64(FormatConstants.fileHeaderSize)
        guard let mapping = try spare!.file.mapForWriting(spare!.space.limit),
            let range = spare!.space.nextPopulating(end: end)
        else { return }
        try mapping.populate(range)
        spare!.space.populated(to: range.upperBound)
        spare!.mapping = LogMapping(mapping)
    }

    /// Allocates the next piece of a file: one step, or on a full disk the least that is needed.
    ///
    /// - Returns: The changed plan; nil if there is nothing to allocate.
    func allocate(
        _ plan: PreallocationPlan, of file: any File, end: UInt64, need: UInt64, isOpen: Bool = true
    ) throws(FileSystemError) -> PreallocationPlan? {
        guard let step = plan.nextAllocation(end: end, need: need) else { return nil }
        var plan = plan
        do throws(FileSystemError) {
            try allocate(step, of: file)
            plan.allocated(to: step.upperBound, isOpen: isOpen)
        } catch {
            guard error.isOutOfSpace, need > 0, let least = plan.leastAllocation(need: need),
                least.upperBound < step.upperBound
            else { throw error }
            try allocate(least, of: file)
            plan.allocated(to: least.upperBound, isOpen: isOpen)
            plan.slowDown()
        }
        return plan
    }

    /// Truncates after a refused allocation, because some file systems keep the part of it that they had space for.
    private func allocate(_ range: Range<UInt64>, of file: any File) throws(FileSystemError) {
        do throws(FileSystemError) {
            try file.allocateFully(range.upperBound - range.lowerBound, at: range.lowerBound)
        } catch {
            try? file.truncate(to: range.lowerBound)
            throw error
        }
    }

    private mutating func zeroAhead() throws(FileSystemError) {
        let (segment, end, plan) = log.withState { state in
            (state.commits.current, state.commits.open.end, state.space.plan)
        }
        // Zeros never overwrite a commit. What is accepted meanwhile is either written by this same thread, later, or
        // stored to the populated part, which ends at or before this range.
        guard let segment, let range = plan.nextZeroing(end: end) else { return }
        try segment.file.zero(from: range.lowerBound, count: range.upperBound - range.lowerBound)
        log.withState { $0.space.plan.zeroed(to: range.upperBound) }
    }

    private mutating func refuse(_ error: FileSystemError, _ demands: LogSpace.Demands) {
        let refusal = StoreError(
            error,
            demands.hasRemovals
                ? "no space could be preallocated for more writes, and the reserve for removals is used up or was "
                    + "never made, so this write was refused"
                : "no space could be preallocated for more writes, so this write was refused")
        var demands = demands
        if demands.boundary {
            log.withState { $0.wantsBoundary = false }
            log.compaction.deliver(.failure(StoreError(error, "no space could be preallocated for a new log segment")))
            demands.boundary = false
            // No write waits for the space.
            if demands.isEmpty { return }
        }
        // A removal that was requested since then was not tried. Then all waiting writes try again, and the reserve
        // serves it.
        func answer(_ state: Log.State) -> StoreError? {
            !demands.hasRemovals && state.space.demands.hasRemovals ? nil : refusal
        }
        let modest = modest(demands)
        if let modest {
            // Refuses the writes that are too large for the remaining space. If there is some space, the others try
            // again.
            let (waiters, answer) = log.withState { state in
                (state.space.takeWaiters(from: demands.largest), answer(state))
            }
            resume(waiters.tooLarge, with: answer)
            let isProvided = (try? provide(modest, rotates: modest.rotation != nil)) != nil
            if isProvided { accepted() }
            resume(waiters.others, with: isProvided ? nil : answer)
            if isProvided { return }
        }
        let (waiters, answer, isFirst) = log.withState { state in
            defer { state.space.refusal = refusal }
            return (state.space.takeWaiters(), answer(state), state.space.refusal == nil)
        }
        if isFirst { tellRefused(refusal, error) }
        // Looking for space again uses nothing of the reserve.
        refusedDemands = modest ?? demands
        (refusedDemands.leastRemoval, refusedDemands.hasPuts) = (.max, true)
        nextProbe = log.delays.now() &+ Self.probeInterval
        resume(waiters, with: answer)
    }

    /// The demands of the smallest waiting write, and at most a small step; nil if that isn't less than the largest.
    private func modest(_ demands: LogSpace.Demands) -> LogSpace.Demands? {
        let length = min(demands.least, Int(PreallocationPlan.firstStep))
        return length < demands.largest ? self.demands(of: length, removesOnly: false, like: demands) : nil
    }

    /// Demands of the same kind, for a single batch.
    func demands(of length: Int, removesOnly: Bool, like others: LogSpace.Demands) -> LogSpace.Demands {
        var demands = LogSpace.Demands()
        if others.rotation != nil {
            demands.askForRotation(length, removesOnly: removesOnly)
        } else {
            let end = log.withState { $0.commits.open.end }
            demands.askForSpace(to: end + UInt64(length), length, removesOnly: removesOnly)
        }
        return demands
    }

    private mutating func accepted() {
        nextProbe = nil
        let wasRefusing = log.withState { state in
            defer { state.space.refusal = nil }
            return state.space.refusal != nil
        }
        guard wasRefusing else { return }
        log.configuration.logger?.info("there is space again: writes are accepted")
        log.configuration.observer?(.spaceFound)
    }

    private func tellRefused(_ refusal: StoreError, _ cause: FileSystemError) {
        log.configuration.logger?.info(
            "writes are refused: no space could be preallocated", metadata: ["cause": "\(cause)"])
        if refusal.code == .outOfSpace { log.configuration.observer?(.outOfSpace(refusal)) }
    }
}
