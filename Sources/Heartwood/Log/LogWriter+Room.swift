internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Logging

/// Room ahead of the writer, and the turn to the next segment.
extension LogWriter {
    /// How long a full disk is left alone before the next look whether there is space again, in nanoseconds.
    static var probeInterval: UInt64 { 250_000_000 }

    /// What the system is asked to bring to the disk at a time, at least.
    static var writebackStep: Int { 1 << 20 }

    /// Lays the room that writers wait for. If that fails they are refused, and the store goes on: nothing was
    /// numbered, so nothing is lost.
    mutating func meet(_ demands: Log.Demands) {
        // Decided once, for others write meanwhile. A segment without records is new enough for a cut.
        var turns = demands.rotation != nil || demands.cut && !log.withState { $0.holdsNothing }
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
            if turns, log.withState({ !$0.holdsNothing }) { try rotate() }
            deliverCut()
        } catch {
            fail(error)
        }
    }

    /// Where batches put, the reserve is made whole first. Otherwise what is allocated is for removals alone, unless it is.
    mutating func lay(_ demands: Log.Demands, turns: Bool) throws(FileSystemError) {
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
        if !isSyncing { startWriteback() }
        if log.withState({ $0.room.isReserved }) { return }
        do throws(FileSystemError) {
            try layRoom(need: 0, isOpen: true)
            if isSyncing { try zeroAhead() }
            let (end, room) = log.withState { ($0.open.end, $0.room) }
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
    /// written, 30 ms and more, and writers waited for it. RocksDB has `wal_bytes_per_sync` for it.
    private mutating func startWriteback() {
        let (segment, mapping, synced, written) = log.withState {
            ($0.current, $0.mapping, $0.syncedEnd, $0.writtenEnd)
        }
        guard let segment else { return }
        if writeback.segment != ObjectIdentifier(segment) { writeback = (ObjectIdentifier(segment), 0) }
        // The next commit writes to the last page, and would wait until that is on the disk.
        let part = max(synced, writeback.end) & ~4095..<max(synced, writeback.end, written) & ~4095
        guard part.count >= Self.writebackStep else { return }
        mapping?.release(before: part.upperBound)
        segment.file.startWriteback(from: part.lowerBound, count: UInt64(part.count), waiting: false)
        writeback.end = part.upperBound
    }

    // MARK: - Room

    /// Allocates so that a commit up to `need` fits, and a step ahead.
    ///
    /// - Parameter isOpen: Whether every batch may use it.
    mutating func layRoom(need: UInt64, isOpen: Bool) throws(FileSystemError) {
        let (segment, end, plan, opened) = log.withState { state in
            let opens = isOpen && state.room.isReserved
            if opens { state.room.open(true) }
            return (state.current, state.open.end, state.room, opens ? state.takeWaiters() : [])
        }
        resume(opened)
        if need > 0, plan.hasRoomForRemoval(to: need) { return }
        guard let segment, let grown = try allocate(plan, of: segment.file, end: end, need: need, isOpen: isOpen)
        else { return }
        let waiters = log.withState { state in
            // A write may have let the segment grow meanwhile.
            state.room.takeOver(grown)
            return state.takeWaiters()
        }
        resume(waiters)
    }

    /// Brings what is laid into memory, for commits that are stored: where there are any, and the file can be mapped.
    private mutating func populateAhead() throws(FileSystemError) {
        let (segment, mapped, uses, start, plan) = log.withState { state in
            // What is open already may be stored, too.
            (state.current, state.mapping, state.usesMapping, state.open.offset, state.room)
        }
        guard uses, let segment else { return }
        var mapping = mapped
        if mapping == nil { mapping = try map(segment, plan) }
        guard let mapping else { return }
        if let range = plan.nextPopulating(end: start)?.clamped(to: 0..<mapping.count), !range.isEmpty {
            try mapping.populate(range)
            log.withState { $0.room.populated(to: range.upperBound) }
        }
        log.withState { $0.roomDue = $0.room.nextDue(hasSpare: spare != nil) }
    }

    /// Maps the current segment.
    private mutating func map(_ segment: Segment, _ plan: RoomPlan) throws(FileSystemError) -> LogMapping? {
        guard log.configuration.logWriting == .mapped, triedToMap != ObjectIdentifier(segment) else { return nil }
        triedToMap = ObjectIdentifier(segment)
        let mapping = try segment.file.mapForWriting(plan.limit)
        return log.withState { state in
            state.mapping = mapping.map { LogMapping($0) }
            state.logWriting = mapping == nil ? .calls : .mapped
            return state.mapping
        }
    }

    /// The same for the next one, so that nobody who stores commits waits for the log writer behind the turn.
    private mutating func mapSpare() throws(FileSystemError) {
        guard log.configuration.logWriting == .mapped, log.withState({ $0.mapping != nil && $0.usesMapping }) else {
            return
        }
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
    private func allocate(
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
            (state.current, state.open.end, state.room)
        }
        // Zeros never cover a commit: what is accepted meanwhile is written by this same thread, afterwards, or stored to what
        // is populated, before.
        guard let segment, let range = plan.nextZeroing(end: end) else { return }
        try segment.file.zero(from: range.lowerBound, count: range.upperBound - range.lowerBound)
        log.withState { $0.room.zeroed(to: range.upperBound) }
    }

    private mutating func refuse(_ error: FileSystemError, _ demands: Log.Demands) {
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
            !demands.hasRemovals && state.demands.hasRemovals ? nil : refusal
        }
        let modest = modest(demands)
        if let modest {
            // Those that are too large for what is left are refused; where there is some room, the others ask again.
            let (waiters, answer) = log.withState { state in
                (state.takeWaiters(from: demands.largest), answer(state))
            }
            resume(waiters.tooLarge, with: answer)
            let isLaid = (try? lay(modest, turns: modest.rotation != nil)) != nil
            if isLaid { accepted() }
            resume(waiters.others, with: isLaid ? nil : answer)
            if isLaid { return }
        }
        let (waiters, answer) = log.withState { state in
            if state.refusal == nil {
                log.configuration.logger?.error(
                    "writes are refused for want of room", metadata: ["cause": "\(error)"])
            }
            state.refusal = refusal
            return (state.takeWaiters(), answer(state))
        }
        // Looking for space again takes nothing of the reserve.
        refusedDemands = modest ?? demands
        (refusedDemands.leastRemoval, refusedDemands.hasPuts) = (.max, true)
        nextProbe = log.delays.now() &+ Self.probeInterval
        resume(waiters, with: answer)
    }

    /// What the smallest of those who ask needs, and no more than a small step; nil where that is no less.
    private func modest(_ demands: Log.Demands) -> Log.Demands? {
        let length = min(demands.least, Int(RoomPlan.firstStep))
        return length < demands.largest ? self.demands(of: length, removesOnly: false, like: demands) : nil
    }

    /// The same kind of demands, for a single batch.
    func demands(of length: Int, removesOnly: Bool, like others: Log.Demands) -> Log.Demands {
        var demands = Log.Demands()
        if others.rotation != nil {
            demands.askForRotation(length, removesOnly: removesOnly)
        } else {
            let end = log.withState { $0.open.end }
            demands.askForRoom(to: end + UInt64(length), length, removesOnly: removesOnly)
        }
        return demands
    }

    private mutating func accepted() {
        nextProbe = nil
        let wasRefusing = log.withState { state in
            defer { state.refusal = nil }
            return state.refusal != nil
        }
        if wasRefusing { log.configuration.logger?.notice("there is room again: writes are accepted") }
    }

    // MARK: - Segments

    /// Makes the file that will be the next segment: allocated, but without a header, so without a meaning.
    ///
    /// - Parameter isSparing: Whether it is to take no more space than it must.
    private mutating func prepareSpare(need: UInt64, isSparing: Bool = false) throws(FileSystemError) {
        try removeLeftovers()
        if spare == nil {
            let path = log.directory + "/" + StoreFileName.spareName
            let file = try log.configuration.fileSystem.openFile(path, for: .create)
            let step = isSparing ? RoomPlan.reserve + 4096 : log.withState { $0.room.step }
            spare = Spare(file: file, path: path, room: plan(need: need, step: step))
        }
        let header = UInt64(FormatConstants.fileHeaderSize)
        if !spare!.room.fits(to: header + need) {
            spare!.room = plan(need: need, step: spare!.room.step)
            spare!.mapping = nil
        }
        do throws(FileSystemError) {
            if let grown = try allocate(spare!.room, of: spare!.file, end: header, need: header + need) {
                spare!.room = grown
            }
        } catch {
            // Not as large as for this write, which is refused.
            spare!.room = plan(need: 0, step: RoomPlan.firstStep)
            spare!.mapping = nil
            throw error
        }
        if isSyncing, let range = spare!.room.nextZeroing(end: header) {
            try spare!.file.zero(from: range.lowerBound, count: range.upperBound - range.lowerBound)
            spare!.room.zeroed(to: range.upperBound)
        }
    }

    private func plan(need: UInt64, step: UInt64) -> RoomPlan {
        RoomPlan(limit: UInt64(log.configuration.segmentBytes), need: need, step: step)
    }

    private mutating func removeLeftovers() throws(FileSystemError) {
        if !superseded.isEmpty {
            let files = superseded
            superseded = []
            do throws(FileSystemError) {
                // Whoever gave the snapshot its name may have died before that was durable.
                try log.configuration.fileSystem.syncDirectory(log.directory)
                leftovers += files.reversed()
            } catch {
                // A second attempt would succeed and prove nothing: the next opening or compaction sees to it.
                log.configuration.logger?.warning(
                    "files that a snapshot covers are not removed", metadata: ["cause": "\(error)"])
            }
        }
        while let path = leftovers.last {
            do throws(FileSystemError) {
                try log.configuration.fileSystem.remove(path)
            } catch {
                guard error.isNotFound else { throw error }
            }
            leftovers.removeLast()
        }
    }

    /// Turns to the next segment.
    ///
    /// The order is what makes a segment's existence prove that its predecessor is durable: sync the old one, write
    /// the header into the spare, sync it, rename it, sync the directory; only then commits go into it.
    private mutating func rotate() throws(Failure) {
        let spare = self.spare!
        self.spare = nil
        if log.withState({ $0.current == nil }) {
            try beginFirst(spare)
            return
        }
        let turn = turn(to: spare)
        try finish(turn.sealed)
        if log.withState({ $0.pipeline.unsyncedSince != nil }) { try syncWritten(of: turn.old) }
        if log.configuration.valueReading == .mapped { turn.old.allowMapping() }
        try putInPlace(turn.new, from: spare.path)
        withExtendedLifetime(turn.mapping) {}
    }

    /// The first turn of an opening: the file is in place before anything is numbered. Until then nothing on disk tells
    /// of this opening, and after a crash its numbers would be given a second time.
    private mutating func beginFirst(_ spare: Spare) throws(Failure) {
        let first = log.withState { $0.pipeline.lastSequence + 1 }
        let segment = makeSegment(
            of: spare, salt: log.configuration.fileSystem.randomSalt(), created: log.configuration.clock.now(),
            first: first, after: predecessor)
        try putInPlace(segment, from: spare.path)
        predecessor = nil
        let waiters = log.withState { state in
            state.demands = Log.Demands()
            state.open.reset(
                segment: segment, offset: UInt64(FormatConstants.fileHeaderSize),
                keeping: log.configuration.commitBufferBytes)
            state.current = segment
            state.room = spare.room
            cut(&state)
            return state.takeWaiters()
        }
        resume(waiters)
    }

    /// Holds all that was accepted, where compaction has asked for it: everything of it lies in other segments than the
    /// current one, which holds nothing yet.
    private mutating func cut(_ state: inout Log.State) {
        guard state.wantsCut, let current = state.current else { return }
        state.wantsCut = false
        state.demands.cut = false
        finishedCut = Cut(
            point: log.index.holdNewestUnderLock(), end: current.header.predecessor,
            covered: log.segments.all.filter { $0 !== current }, bytes: state.counters.writtenBytes,
            records: state.counters.records)
    }

    /// Gives compaction the cut, now that all before it is durable, and the segment behind it in place.
    private mutating func deliverCut() {
        if finishedCut == nil {
            log.withState { state in
                // Where somebody has written meanwhile, there has to be a turn after all.
                if state.holdsNothing { cut(&state) } else if state.wantsCut { state.demands.cut = true }
            }
        }
        guard let cut = finishedCut else { return }
        finishedCut = nil
        // A snapshot holds only what is visible.
        log.publish(log.withState { $0.pipeline.visiblePoint })
        reserve.noteCompaction()
        log.compaction.deliver(.success(cut))
    }

    private mutating func putInPlace(_ segment: Segment, from path: String) throws(Failure) {
        try log.failing("the next log segment could not be put in place", segment) { () throws(FileSystemError) in
            let fileSystem = log.configuration.fileSystem
            try lend(segment.header.encoded()) { (bytes) throws(FileSystemError) in
                try segment.file.writeFully(bytes, at: 0)
            }
            try segment.file.sync(.full)
            try rename(path, to: segment.path)
            try fileSystem.syncDirectory(log.directory)
        }
        log.withState { state in
            state.syncedEnd = UInt64(FormatConstants.fileHeaderSize)
            state.writtenEnd = state.syncedEnd
            state.isAppendable = true
            state.counters.rotations += 1
        }
        if log.segments.count >= log.configuration.compaction.maximumSegments { log.askForCompaction() }
    }

    private struct Turn {
        /// What was accepted before and isn't in the kernel yet.
        var sealed: Sealed?
        let old: Segment
        let new: Segment
        /// That of the old segment, so that it isn't the lock's holder who unmaps it.
        let mapping: LogMapping?
    }

    /// From here on what is accepted goes into the new segment, whose salt and first number are known; it is written
    /// there once the file is in place. What was accepted before is sealed.
    private mutating func turn(to spare: Spare) -> Turn {
        let salt = log.configuration.fileSystem.randomSalt()
        let created = log.configuration.clock.now()
        let start = UInt64(FormatConstants.fileHeaderSize)
        let (turned, waiters) = log.withState { state in
            let first = state.pipeline.lastSequence + 1
            let old = state.current!
            let mapping = state.mapping
            precondition(!state.holdsNothing, "two segments would have one name")
            // Whoever asked for this turn while it was being prepared has it now.
            state.demands = Log.Demands()
            let end = state.open.offset + UInt64(state.open.isEmpty ? 0 : state.open.count)
            let before = FileHeader.Predecessor(
                salt: old.header.salt, lastSequence: first - 1, endOffset: end)
            let new = makeSegment(of: spare, salt: salt, created: created, first: first, after: before)
            var sealed: Sealed?
            if state.open.isEmpty {
                state.open.reset(segment: new, offset: start, keeping: log.configuration.commitBufferBytes)
            } else {
                sealed = state.seal(next: new, at: start, wanted: log.configuration.commitBufferBytes)
            }
            state.current = new
            state.isAppendable = false
            state.mapping = spare.mapping
            state.usesMapping = false
            state.room = spare.room
            state.roomDue = spare.room.nextDue(hasSpare: false)
            cut(&state)
            return (Turn(sealed: sealed, old: old, new: new, mapping: mapping), state.takeWaiters())
        }
        resume(waiters)
        return turned
    }

    /// What the spare will be: a segment with a header and a name, though neither is on disk yet.
    private func makeSegment(
        of spare: Spare, salt: UInt32, created: Timestamp, first: SequenceNumber, after before: FileHeader.Predecessor?
    ) -> Segment {
        let header = FileHeader(
            kind: .log, storeID: storeID, salt: salt, firstSequence: first, predecessor: before,
            creationTime: created.milliseconds)
        return log.segments.add(
            header, file: spare.file, path: log.directory + "/" + StoreFileName.log(first), bytes: spare.room.limit)
    }
}
