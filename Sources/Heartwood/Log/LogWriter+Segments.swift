internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Logging

/// The turn to the next segment.
extension LogWriter {
    /// Makes the file that will be the next segment: allocated, but without a header, so without a meaning.
    ///
    /// - Parameter isSparing: Whether it is to take no more space than it must.
    mutating func prepareSpare(need: UInt64, isSparing: Bool = false) throws(FileSystemError) {
        try removeLeftovers()
        if spare == nil {
            let path = log.directory + "/" + StoreFileName.spareName
            let file = try log.configuration.fileSystem.openFile(path, for: .create)
            let step = isSparing ? RoomPlan.reserve + 4096 : log.withState { $0.room.plan.step }
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

    /// Makes or removes the file that says that the log is kept.
    private mutating func noteRetention() throws(FileSystemError) {
        let keeps = log.configuration.logRetention != .none
        guard keepsLog != keeps else { return }
        let path = log.directory + "/" + StoreFileName.keepLogName
        if keeps {
            try log.configuration.fileSystem.openFile(path, for: .create).close()
        } else {
            leftovers.append(path)
        }
        keepsLog = keeps
    }

    private mutating func removeLeftovers() throws(FileSystemError) {
        try noteRetention()
        if !superseded.isEmpty {
            let files = superseded
            superseded = []
            do throws(FileSystemError) {
                // The process that renamed the snapshot may have died before the rename was durable.
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
    mutating func rotate() throws(Failure) {
        let spare = self.spare!
        self.spare = nil
        if log.withState({ $0.commits.current == nil }) {
            try beginFirst(spare)
            return
        }
        let turn = turn(to: spare)
        try finish(turn.sealed)
        // Pages that are mapped cost several times as much to write: 26 ms for 9 MB.
        turn.mapping?.release(before: .max)
        if log.withState({ $0.commits.pipeline.unsyncedSince != nil }) { try syncWritten(of: turn.old) }
        if log.configuration.valueReading == .mapped { turn.old.allowMapping() }
        try putInPlace(turn.new, from: spare.path)
        log.withState { $0.commits.placed() }
        withExtendedLifetime(turn.mapping) {}
    }

    /// The first turn of an opening: the file is in place before anything is numbered. Until then nothing on disk tells
    /// of this opening, and after a crash its numbers would be given a second time.
    private mutating func beginFirst(_ spare: Spare) throws(Failure) {
        let first = log.withState { $0.commits.pipeline.lastSequence + 1 }
        let segment = makeSegment(
            of: spare, salt: log.configuration.fileSystem.randomSalt(), created: log.configuration.clock.now(),
            first: first, after: predecessor)
        try putInPlace(segment, from: spare.path)
        predecessor = nil
        let waiters = log.withState { state in
            _ = state.commits.turn(to: segment, mapping: nil)
            state.commits.placed()
            cut(&state)
            return state.room.turn(to: spare.room)
        }
        resume(waiters)
    }

    /// Holds all that was accepted, where compaction has asked for it: everything of it lies in other segments than the
    /// current one, which holds nothing yet.
    private mutating func cut(_ state: inout Log.State) {
        guard state.wantsCut, let current = state.commits.current else { return }
        state.wantsCut = false
        state.room.demands.cut = false
        finishedCut = Cut(
            point: log.index.holdNewestUnderLock(), end: current.header.predecessor,
            covered: log.segments.all.filter { $0 !== current }, bytes: state.counters.writtenBytes,
            records: state.counters.records)
    }

    /// Gives compaction the cut, now that all before it is durable, and the segment behind it in place.
    mutating func deliverCut() {
        if finishedCut == nil {
            log.withState { state in
                // Where writes came in meanwhile, a rotation is needed after all.
                if state.commits.holdsNothing { cut(&state) } else if state.wantsCut { state.room.demands.cut = true }
            }
        }
        guard let cut = finishedCut else { return }
        finishedCut = nil
        // A snapshot holds only what is visible.
        log.publish(log.withState { $0.commits.pipeline.visiblePoint })
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
        log.withState { $0.counters.rotations += 1 }
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
        let (turned, waiters) = log.withState { state in
            let first = state.commits.pipeline.lastSequence + 1
            let old = state.commits.current!
            let mapping = state.commits.mapping
            let end = state.commits.open.offset + UInt64(state.commits.open.isEmpty ? 0 : state.commits.open.count)
            let before = FileHeader.Predecessor(
                salt: old.header.salt, lastSequence: first - 1, endOffset: end)
            let new = makeSegment(of: spare, salt: salt, created: created, first: first, after: before)
            let sealed = state.commits.turn(to: new, mapping: spare.mapping)
            cut(&state)
            return (
                Turn(sealed: sealed, old: old, new: new, mapping: mapping), state.room.turn(to: spare.room)
            )
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
