internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Logging

/// Room ahead of the writer.
extension LogWriter {
    /// How long a full disk is left alone before the next look whether there is space again, in nanoseconds.
    static var probeInterval: UInt64 { 250_000_000 }

    /// What the system is asked to bring to the disk at a time, at least.
    static var writebackStep: Int { 1 << 20 }

    /// On its way to the disk at a time, at most, and what came since the last step.
    static var writebackWindow: UInt64 { 1 << 20 }

    /// Lays the room that writers wait for. If that fails they are refused, and the store goes on: nothing was
    /// numbered, so nothing is lost.
    mutating func meet(_ demands: LogRoom.Demands) {
        // Decided once, for others write meanwhile. A segment without records is new enough for a cut.
        var turns = demands.rotation != nil || demands.cut && !log.withState { $0.commits.holdsNothing }
        do throws(Failure) {
            // Before a file is made: it could be made in another directory.
            if turns { try checkFiles() }
            do throws(FileSystemError) {
                try lay(demands, turns: turns)
            } catch {
                guard let fromReserve = layFromReserve(demands, turns: turns, after: error) else {
                    refuse(error, demands)
                    return
                }
                turns = fromReserve
            }
            if isReserveWhole { accepted() }
            // One without records is new enough for whoever asked for room, too: it grows as far as it must.
            if turns, log.withState({ !$0.commits.holdsNothing }) { try rotate() }
            deliverCut()
        } catch {
            fail(error)
        }
    }

    /// Where batches put, the reserve is made whole first. Otherwise what is allocated is for removals alone, unless it is.
    mutating func lay(_ demands: LogRoom.Demands, turns: Bool) throws(FileSystemError) {
        if demands.hasPuts {
            try fillReserve()
        } else if demands.hasRemovals {
            try? fillReserve()
        }
        let isOpen = isReserveWhole
        if turns {
            if demands.isSparing { trimCurrent() }
            try prepareSpare(need: demands.rotation ?? 0, isSparing: demands.isSparing)
            spare!.room.open(isOpen)
        } else if let need = demands.room {
            try layRoom(need: need, isOpen: isOpen)
        }
    }

    /// Between commits: room for what comes, blocks that are cheap to sync, and the next segment in good time. Nobody
    /// waits for any of it yet, so a failure is left to the write that needs the room.
    mutating func prepare() {
        // Last, because it may wait for the disk.
        defer { if !isSyncing { startWriteback() } }
        if log.withState({ $0.room.plan.isReserved }) { return }
        do throws(FileSystemError) {
            if try layRoom(need: 0, isOpen: true), isReserveWhole { accepted() }
            if isSyncing { try zeroAhead() }
            let (end, room) = log.withState { ($0.commits.open.end, $0.room.plan) }
            if spare == nil, end > room.spareDue {
                try prepareSpare(need: 0)
                try mapSpare()
            }
            try populateAhead()
        } catch {
            log.configuration.logger?.debug("room could not be laid ahead", metadata: ["cause": "\(error)"])
        }
    }

    /// Lets the system bring to the disk what the next sync would have to: without this a sync took what half a second had
    /// written, 30 ms and more, and writers waited for it. RocksDB has `wal_bytes_per_sync` for it, and
    /// `strict_bytes_per_sync` for the wait, without which all of it may still be on its way when a sync begins.
    private mutating func startWriteback() {
        let (segment, mapping, synced, written) = log.withState {
            ($0.commits.current, $0.commits.mapping, $0.commits.syncedEnd, $0.commits.writtenEnd)
        }
        guard let segment else { return }
        if writeback.segment != ObjectIdentifier(segment) { writeback = (ObjectIdentifier(segment), 0, 0) }
        // The next commit writes to the last page, and would wait until that is on the disk.
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

    // MARK: - Room

    /// Allocates so that a commit up to `need` fits, and a step ahead.
    ///
    /// - Parameter isOpen: Whether every batch may use it.
    /// - Returns: Whether the disk had space that was not allocated before.
    @discardableResult
    mutating func layRoom(need: UInt64, isOpen: Bool) throws(FileSystemError) -> Bool {
        let (segment, end, plan, opened) = log.withState { state in
            let opens = isOpen && state.room.plan.isReserved
            if opens { state.room.plan.open(true) }
            let waiters = opens ? state.room.takeWaiters() : []
            return (state.commits.current, state.commits.open.end, state.room.plan, waiters)
        }
        resume(opened)
        if need > 0, plan.hasRoomForRemoval(to: need) { return false }
        guard let segment, let grown = try allocate(plan, of: segment.file, end: end, need: need, isOpen: isOpen)
        else { return false }
        let waiters = log.withState { state in
            // A write may have let the segment grow meanwhile.
            state.room.plan.takeOver(grown)
            return state.room.takeWaiters()
        }
        resume(waiters)
        return true
    }

    /// Brings what is laid into memory, for commits that are stored: where there are any, and the file can be mapped.
    private mutating func populateAhead() throws(FileSystemError) {
        let (segment, mapped, uses, start, plan) = log.withState { state in
            // What is open already may be stored, too.
            (
                state.commits.current, state.commits.mapping, state.commits.usesMapping, state.commits.open.offset,
                state.room.plan
            )
        }
        guard uses, let segment else { return }
        var mapping = mapped
        if mapping == nil { mapping = try map(segment, plan) }
        guard let mapping else { return }
        if let range = plan.nextPopulating(end: start)?.clamped(to: 0..<mapping.count), !range.isEmpty {
            try mapping.populate(range)
            log.withState { $0.room.plan.populated(to: range.upperBound) }
        }
        log.withState { $0.room.due = $0.room.plan.nextDue(end: $0.commits.open.offset, hasSpare: spare != nil) }
    }

    /// Maps the current segment.
    private mutating func map(_ segment: Segment, _ plan: RoomPlan) throws(FileSystemError) -> LogMapping? {
        guard log.configuration.logWriting == .mapped, triedToMap != ObjectIdentifier(segment) else { return nil }
        triedToMap = ObjectIdentifier(segment)
        let mapping = try segment.file.mapForWriting(plan.limit)
        return log.withState { state in
            state.commits.mapped(mapping.map { LogMapping($0) })
            return state.commits.mapping
        }
    }

    /// The same for the next one, so that nobody who stores commits waits for the log writer behind the turn.
    private mutating func mapSpare() throws(FileSystemError) {
        guard log.configuration.logWriting == .mapped,
            log.withState({ $0.commits.mapping != nil && $0.commits.usesMapping })
        else { return }
        let end = UInt64(FormatConstants.fileHeaderSize)
        guard let mapping = try spare!.file.mapForWriting(spare!.room.limit),
            let range = spare!.room.nextPopulating(end: end)
        else { return }
        try mapping.populate(range)
        spare!.room.populated(to: range.upperBound)
        spare!.mapping = LogMapping(mapping)
    }

    /// Allocates the next piece of a file: a step if there is that much, or the least that is needed.
    ///
    /// - Returns: The plan with it; nil where there is nothing to allocate.
    func allocate(
        _ plan: RoomPlan, of file: any File, end: UInt64, need: UInt64, isOpen: Bool = true
    ) throws(FileSystemError) -> RoomPlan? {
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

    /// Some file systems keep the part of a refused allocation that they had room for: it goes back.
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
            (state.commits.current, state.commits.open.end, state.room.plan)
        }
        // Zeros never cover a commit: what is accepted meanwhile is written by this same thread, afterwards, or stored to what
        // is populated, before.
        guard let segment, let range = plan.nextZeroing(end: end) else { return }
        try segment.file.zero(from: range.lowerBound, count: range.upperBound - range.lowerBound)
        log.withState { $0.room.plan.zeroed(to: range.upperBound) }
    }

    private mutating func refuse(_ error: FileSystemError, _ demands: LogRoom.Demands) {
        let refusal = StoreError(
            error,
            demands.hasRemovals
                ? "no room could be laid for more writes, and the reserve for removals is used up or was never made, so this one was refused"
                : "no room could be laid for more writes, so this one was refused")
        var demands = demands
        if demands.cut {
            log.withState { $0.wantsCut = false }
            log.compaction.deliver(.failure(StoreError(error, "no room could be laid for a new log segment")))
            demands.cut = false
            // Nobody else waits for it.
            if demands.isEmpty { return }
        }
        // A removal that has come since was not tried: all that wait ask again, and the reserve serves it.
        func answer(_ state: Log.State) -> StoreError? {
            !demands.hasRemovals && state.room.demands.hasRemovals ? nil : refusal
        }
        let modest = modest(demands)
        if let modest {
            // Those that are too large for what is left are refused; where there is some room, the others ask again.
            let (waiters, answer) = log.withState { state in
                (state.room.takeWaiters(from: demands.largest), answer(state))
            }
            resume(waiters.tooLarge, with: answer)
            let isLaid = (try? lay(modest, turns: modest.rotation != nil)) != nil
            if isLaid { accepted() }
            resume(waiters.others, with: isLaid ? nil : answer)
            if isLaid { return }
        }
        let (waiters, answer) = log.withState { state in
            if state.room.refusal == nil {
                log.configuration.logger?.error(
                    "writes are refused for want of room", metadata: ["cause": "\(error)"])
            }
            state.room.refusal = refusal
            return (state.room.takeWaiters(), answer(state))
        }
        // Looking for space again takes nothing of the reserve.
        refusedDemands = modest ?? demands
        (refusedDemands.leastRemoval, refusedDemands.hasPuts) = (.max, true)
        nextProbe = log.delays.now() &+ Self.probeInterval
        resume(waiters, with: answer)
    }

    /// What the smallest of those who ask needs, and no more than a small step; nil where that is no less.
    private func modest(_ demands: LogRoom.Demands) -> LogRoom.Demands? {
        let length = min(demands.least, Int(RoomPlan.firstStep))
        return length < demands.largest ? self.demands(of: length, removesOnly: false, like: demands) : nil
    }

    /// The same kind of demands, for a single batch.
    func demands(of length: Int, removesOnly: Bool, like others: LogRoom.Demands) -> LogRoom.Demands {
        var demands = LogRoom.Demands()
        if others.rotation != nil {
            demands.askForRotation(length, removesOnly: removesOnly)
        } else {
            let end = log.withState { $0.commits.open.end }
            demands.askForRoom(to: end + UInt64(length), length, removesOnly: removesOnly)
        }
        return demands
    }

    private mutating func accepted() {
        nextProbe = nil
        let wasRefusing = log.withState { state in
            defer { state.room.refusal = nil }
            return state.room.refusal != nil
        }
        if wasRefusing { log.configuration.logger?.notice("there is room again: writes are accepted") }
    }
}
