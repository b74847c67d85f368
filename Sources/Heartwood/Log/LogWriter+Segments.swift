internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Logging

/// Rotation: the change to the next segment.
extension LogWriter {
    /// Makes the file that becomes the next segment. It is allocated but has no header, so recovery ignores it.
    ///
    /// - Parameter isSparing: Whether it is to take as little space as possible.
    mutating func prepareSpare(need: UInt64, isSparing: Bool = false) throws(FileSystemError) {
        try removeLeftovers()
        if spare == nil {
            let path = log.directory + "/" + StoreFileName.spareName
            let file = try log.configuration.fileSystem.openFile(path, for: .create)
            let step = isSparing ? PreallocationPlan.reserve + 4096 : log.withState { $0.space.plan.step }
            spare = Spare(file: file, path: path, space: plan(need: need, step: step))
        }
        let header = UInt64(FormatConstants.fileHeaderSize)
        if !spare!.space.fits(to: header + need) {
            spare!.space = plan(need: need, step: spare!.space.step)
            spare!.mapping = nil
        }
        do throws(FileSystemError) {
            if let grown = try allocate(spare!.space, of: spare!.file, end: header, need: header + need) {
                spare!.space = grown
            }
        } catch {
            // Without the space for this write, which is refused.
            spare!.space = plan(need: 0, step: PreallocationPlan.firstStep)
            spare!.mapping = nil
            throw error
        }
        if isSyncing, let range = spare!.space.nextZeroing(end: header) {
            try spare!.file.zero(from: range.lowerBound, count: range.upperBound - range.lowerBound)
            spare!.space.zeroed(to: range.upperBound)
        }
    }

    private func plan(need: UInt64, step: UInt64) -> PreallocationPlan {
        PreallocationPlan(limit: UInt64(log.configuration.segmentBytes), need: need, step: step)
    }

    /// Makes or removes the file that records that the log is kept.
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
                // After a failed sync, a second one would succeed and prove nothing. The next opening or compaction
                // removes them.
                log.configuration.logger?.info(
                    "files that a snapshot covers are not removed", metadata: ["cause": "\(error)"])
            }
        }
        while let path = leftovers.last {
            do throws(FileSystemError) {
                try log.configuration.fileSystem.remove(path)
            } catch {
                // A directory that has files is none of ours: another store may be there.
                guard error.isNotFound || error.isNotEmpty else { throw error }
            }
            leftovers.removeLast()
        }
    }

    /// Rotates to the next segment.
    ///
    /// The order ensures that the existence of a segment proves that its predecessor is durable: sync the old one,
    /// write the header into the spare file, sync it, rename it, sync the directory. Only then commits are written to
    /// it.
    mutating func rotate() throws(Failure) {
        let spare = self.spare!
        self.spare = nil
        if log.withState({ $0.commits.current == nil }) {
            try beginFirst(spare)
            return
        }
        let rotation = beginRotation(to: spare)
        try finish(rotation.sealed)
        // Pages that are mapped cost several times as much to write: 26 ms for 9 MB.
        rotation.mapping?.release(before: .max)
        if log.withState({ $0.commits.pipeline.unsyncedSince != nil }) { try syncWritten(of: rotation.old) }
        log.segments.seal(rotation.old)
        try putInPlace(rotation.new, from: spare.path)
        log.withState { $0.commits.placed() }
        withExtendedLifetime(rotation.mapping) {}
    }

    /// The first rotation of an opening: the file has its name before any write gets a sequence number. Without it,
    /// nothing on disk would show that this opening exists, and after a crash its sequence numbers would be used again.
    private mutating func beginFirst(_ spare: Spare) throws(Failure) {
        let first = log.withState { $0.commits.pipeline.lastSequence + 1 }
        let segment = makeSegment(
            of: spare, salt: log.configuration.fileSystem.randomSalt(), created: log.configuration.clock.now(),
            first: first, after: predecessor)
        try putInPlace(segment, from: spare.path)
        predecessor = nil
        let waiters = log.withState { state in
            _ = state.commits.rotate(to: segment, mapping: nil)
            state.commits.placed()
            setBoundary(&state)
            return state.space.rotate(to: spare.space)
        }
        resume(waiters)
    }

    /// Pins everything accepted so far, if compaction has asked for a boundary. All of it is in segments before the
    /// current one, which has no records yet.
    private mutating func setBoundary(_ state: inout Log.State) {
        guard state.wantsBoundary, let current = state.commits.current else { return }
        state.wantsBoundary = false
        state.space.demands.boundary = false
        finishedBoundary = CompactionBoundary(
            point: log.index.pinNewestUnderLock(), end: current.header.predecessor,
            covered: log.segments.all.filter { $0 !== current }, bytes: state.counters.writtenBytes,
            records: state.counters.records)
    }

    /// Delivers the compaction boundary. Everything before it is durable, and the segment after it has its name.
    mutating func deliverBoundary() {
        if finishedBoundary == nil {
            log.withState { state in
                // If writes came in meanwhile, a rotation is needed after all.
                if state.commits.holdsNothing {
                    setBoundary(&state)
                } else if state.wantsBoundary {
                    state.space.demands.boundary = true
                }
            }
        }
        guard let boundary = finishedBoundary else { return }
        finishedBoundary = nil
        // The snapshot holds only what is visible.
        log.publish()
        reserve.noteCompaction()
        log.compaction.deliver(.success(boundary))
    }

    private mutating func putInPlace(_ segment: Segment, from path: String) throws(Failure) {
        try log.failing("the next log segment could not be given its name", segment) { () throws(FileSystemError) in
            let fileSystem = log.configuration.fileSystem
            try lend(segment.header.encoded()) { (bytes) throws(FileSystemError) in
                try segment.file.writeFully(bytes, at: 0)
            }
            try segment.file.sync(.full)
            try rename(path, to: segment.path)
            try fileSystem.syncDirectory(log.directory)
        }
        log.withState { $0.counters.rotations += 1 }
        if log.segments.count >= log.configuration.compaction.maximumSegments { log.hasGrown() }
    }

    private struct Rotation {
        /// What was accepted earlier and isn't in the kernel yet.
        var sealed: Sealed?
        let old: Segment
        let new: Segment
        /// The mapping of the old segment. It is kept here so that it isn't unmapped while the lock is held.
        let mapping: LogMapping?
    }

    /// Seals what was accepted so far. What is accepted from now on goes into the new segment, whose salt and first
    /// sequence number are known. It is written there once the file has its name.
    private mutating func beginRotation(to spare: Spare) -> Rotation {
        let salt = log.configuration.fileSystem.randomSalt()
        let created = log.configuration.clock.now()
        let (rotation, waiters) = log.withState { state in
            let first = state.commits.pipeline.lastSequence + 1
            let old = state.commits.current!
            let mapping = state.commits.mapping
            let end = state.commits.open.offset + UInt64(state.commits.open.isEmpty ? 0 : state.commits.open.count)
            let before = FileHeader.Predecessor(
                salt: old.header.salt, lastSequence: first - 1, endOffset: end)
            let new = makeSegment(of: spare, salt: salt, created: created, first: first, after: before)
            let sealed = state.commits.rotate(to: new, mapping: spare.mapping)
            setBoundary(&state)
            return (
                Rotation(sealed: sealed, old: old, new: new, mapping: mapping), state.space.rotate(to: spare.space)
            )
        }
        resume(waiters)
        return rotation
    }

    /// Makes the segment of the spare file, with a header and a name that are not on disk yet.
    private func makeSegment(
        of spare: Spare, salt: UInt32, created: Timestamp, first: SequenceNumber, after before: FileHeader.Predecessor?
    ) -> Segment {
        let header = FileHeader(
            kind: .log, storeID: log.image.storeID, salt: salt, firstSequence: first, predecessor: before,
            creationTime: created.milliseconds)
        return log.segments.add(
            header, file: spare.file, path: log.directory + "/" + StoreFileName.log(first), bytes: spare.space.limit)
    }
}
