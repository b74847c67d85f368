internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Synchronization

/// A commit on its way to the kernel: by whoever has the turn.
nonisolated extension Log {
    /// A sealed commit.
    struct Sealed {
        let buffer: CommitBuffer
        let content: CommitPipeline.Content
        /// Everything of the segment before this offset was on disk when it was sealed.
        let mark: UInt64
    }

    /// A system call of the write path failed, on blocks that were allocated: what is on disk is unknown.
    struct Failure: Error {
        let cause: FileSystemError
        let doing: String
    }

    /// Writes a sealed commit to the kernel. Readers find its records in the file from here on.
    func write(_ sealed: Sealed) throws(Failure) {
        let buffer = sealed.buffer
        let segment = buffer.segment!
        let time = now.milliseconds
        buffer.finish(
            CommitHeader(
                bodyLength: UInt64(buffer.bodyLength), firstSequence: sealed.content.first, syncedMark: sealed.mark,
                time: time, recordCount: UInt32(buffer.recordCount)))
        try failing("the log could not be written", segment) { () throws(FileSystemError) in
            try buffer.forEachPiece { (piece, offset) throws(FileSystemError) in
                try segment.file.writeFully(piece, at: offset)
            }
        }
        noteTime(time)
        noteWritten(segment, to: buffer.end)
    }

    /// The segment is in the kernel up to this offset.
    func noteWritten(_ segment: Segment, to end: UInt64) {
        unwrittenFrom.store(segment.baseAddress + end >> 3, ordering: .releasing)
    }

    /// Lets readers see up to there, and those go on who waited for it.
    func publish(_ visible: HeldPoint) {
        index.publish(visible.address, visible.sequence)
        visibleGate.open(to: visible.sequence)
    }

    /// Calls `body`; a failure names the segment as it is called now, not as it was when it was opened.
    func failing(
        _ doing: String, _ segment: Segment, _ body: () throws(FileSystemError) -> Void
    ) throws(Failure) {
        do throws(FileSystemError) {
            try body()
        } catch {
            throw Failure(cause: error.naming(segment), doing: doing)
        }
    }
}

/// Commits of callers.
nonisolated extension Log {
    /// The largest commit that a caller writes, in bytes: it holds a thread of Swift's pool for some 100 µs at most.
    private static let largestOfCaller = 256 << 10
    /// Commits that a caller writes in a row, its own and those of others who came meanwhile; then the log writer goes on.
    private static let mostOfCaller = 4

    /// Does what an admission asks of the caller, off the actor: afterwards it tells whether a wait is left.
    @inline(__always)
    func committing(_ admission: Admission) -> Admission {
        guard case .accepted(let sequence, _, commits: true) = admission else { return admission }
        return .accepted(sequence, isVisible: commitAsCaller(), commits: false)
    }

    /// Writes the open commit, and what others put meanwhile, in the caller's own thread: whoever `append` gave the turn
    /// to.
    ///
    /// - Returns: Whether the caller's write is visible now. Otherwise the log writer has it, or writing has failed.
    @inline(never)
    private func commitAsCaller() -> Bool {
        var isDone = false
        for count in 1...Self.mostOfCaller {
            guard let (sealed, waiters) = sealAsCaller() else { break }
            for waiter in waiters { waiter.resume(returning: nil) }
            do throws(Failure) {
                try write(sealed)
            } catch {
                fail(error.cause, error.doing)
                giveTurnBack()
                return false
            }
            isDone = true
            if !finishAsCaller(sealed, isLast: count == Self.mostOfCaller) { return true }
        }
        return isDone
    }

    /// Seals the open commit, if it still is one for a caller; otherwise the turn goes back.
    private func sealAsCaller() -> (sealed: Sealed, waiters: [Sleeper<StoreError?>])? {
        withState { state in
            guard state.isForCaller else {
                returnTurn(&state)
                return nil
            }
            return (state.seal(wanted: configuration.commitBufferBytes), state.takeWaiters())
        }
    }

    /// - Returns: Whether there is another one for this caller.
    private func finishAsCaller(_ sealed: Sealed, isLast: Bool) -> Bool {
        var isCompactionDue = false
        var goesOn = false
        let visible = withState { state in
            state.finish(sealed, wanted: configuration.commitBufferBytes)
            state.pipeline.finishWithoutSync()
            isCompactionDue = state.logBytes >= state.compactionTrigger
            goesOn = !isLast && !state.turn.isAwaited && state.isForCaller && state.pipeline.open!.firstWritten != nil
            if !goesOn { returnTurn(&state) }
            return state.pipeline.visiblePoint
        }
        publish(visible)
        if isCompactionDue { askForCompaction() }
        return goesOn
    }

    private func giveTurnBack() { withState { returnTurn(&$0) } }

    /// The log writer has the turn from here on, if there is anything for it to do.
    private func returnTurn(_ state: inout State) {
        let isAwaited = state.turn.isAwaited
        state.turn.giveBack()
        if isAwaited {
            executor.signal()
            return
        }
        guard state.failure == nil else { return }
        let end = state.open.end
        if state.room.nextAllocation(end: end, need: 0) != nil || !state.hasSpare && end > state.room.spareDue {
            state.wantsRoomAhead = true
        }
        let isUrgent = state.wantsRoomAhead || state.pipeline.open.map { $0.firstWritten != nil } ?? false
        wakeWriter(&state, deadline: isUrgent ? 0 : state.pipeline.backgroundSync ?? .max)
    }
}

extension Log.State {
    /// Whether the open commit is one that a caller may write: small, and nobody waits for more than the kernel.
    ///
    /// Inlined always, because what is called with the state and doesn't change it gets a copy: 190 instructions.
    @inline(__always)
    fileprivate var isForCaller: Bool { pipeline.needsNoSync && open.count <= Log.largestOfCaller && failure == nil }

    /// Gives the turn to a caller, where nobody writes and the log writer isn't asked for anything else.
    ///
    /// Once the log has outgrown its limit, compaction may have to hold writers back: that is the log writer's.
    mutating func givesTurnToCaller() -> Bool {
        isForCaller && demands.isEmpty && !wantsRoomAhead && logBytes <= callersLimit && turn.takeAsCaller()
    }

    /// Seals the open commit and opens the next one behind it in the same segment.
    mutating func seal(wanted: Int) -> Log.Sealed { seal(next: current, at: open.end, wanted: wanted) }

    /// Seals the open commit and opens the next one at `offset` of `next`.
    mutating func seal(next: Segment?, at offset: UInt64, wanted: Int) -> Log.Sealed {
        let content = pipeline.seal()
        let sealed = open
        let fresh = idle!
        idle = nil
        inFlight = sealed
        fresh.reset(segment: next, offset: offset, keeping: wanted)
        open = fresh
        return Log.Sealed(buffer: sealed, content: content, mark: syncedEnd)
    }

    /// A commit has been written: its buffer is free again.
    mutating func finish(_ sealed: Log.Sealed, wanted: Int) {
        counters.commits += 1
        counters.writtenBytes += UInt64(sealed.buffer.count)
        pipeline.written()
        writtenEnd = sealed.buffer.end
        inFlight = nil
        sealed.buffer.reset(segment: nil, offset: 0, keeping: wanted)
        idle = sealed.buffer
    }
}
