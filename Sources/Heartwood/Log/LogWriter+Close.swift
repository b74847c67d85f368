internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Synchronization

/// The end of an opening.
extension LogWriter {
    /// Writes and syncs what was accepted, says so by a closing mark, gives the unused room back, and lets go of the
    /// files and the lock. The first error is what the close reports; the files are let go all the same.
    mutating func close() {
        // It asks this thread for nothing any more, and leaves the files alone.
        log.compaction.stop()
        var failure: StoreError?
        let (earlier, isAllOnDisk) = log.withState { state in
            (state.life.failure, state.commits.pipeline.lastSequence == state.commits.pipeline.syncedSequence)
        }
        if let earlier {
            // Who closes in order relies on everything being there.
            let areMissing =
                (earlier.cause as? FileSystemError)?.operation == .status
                || log.segments.all.contains { (try? $0.file.isLinked()) == false }
            if !isAllOnDisk || areMissing { failure = .closedAfterFailure(earlier) }
        } else {
            do throws(Failure) {
                try finishLog()
            } catch {
                fail(error)
                failure = StoreError(error.cause, error.doing)
            }
        }
        end(failure)
    }

    private mutating func finishLog() throws(Failure) {
        let (hasUnsealed, isUnsynced, current) = log.withState {
            ($0.commits.pipeline.hasUnsealed, $0.commits.pipeline.unsyncedSince != nil, $0.commits.current)
        }
        guard let current else { return }
        if hasUnsealed {
            try commit(sync: true)
        } else if isUnsynced {
            try syncWritten()
        }
        try writeMark(flags: [.mark, .closing])
        let end = log.withState { $0.commits.writtenEnd }
        try log.failing("the log could not be trimmed at its end", current) { () throws(FileSystemError) in
            try current.file.truncate(to: end)
            try current.file.sync(.full)
        }
        try checkFiles()
        // On a full disk with what the segment gave back.
        try? fillReserve()
    }

    /// Lets go of everything. Readers find a closed store from here on.
    mutating func end(_ failure: StoreError?) {
        var failure = failure
        log.compaction.stop()
        finishedCut.map { log.index.release($0.point) }
        finishedCut = nil
        discardSpare()
        do throws(FileSystemError) {
            try log.segments.closeAll()
        } catch {
            failure = failure ?? StoreError(error, "a log segment could not be closed")
        }
        lock.unlock()
        let (closers, waiters) = log.withLock { held in
            let closers = held.state.life.end(failure)
            held.broadcast()
            return (closers, held.state.room.takeWaiters())
        }
        log.visibleGate.fail(.closed)
        log.syncedGate.fail(.closed)
        resume(waiters, with: .closed)
        resume(closers, with: failure)
    }
}

nonisolated extension Log {
    /// Closes the log and waits for it. However often it is called, and by however many, it happens once; each caller
    /// gets its outcome.
    nonisolated(nonsending) func close() async throws(StoreError) {
        if isDueAtClose { noteBeforeClose(await Sleeper.suspend { compact(waking: $0) }) }
        if let failure = await Sleeper.suspend({ close(waking: $0) }) { throw failure }
    }

    /// The same for a thread, which is blocked meanwhile.
    func closeBlocking() throws(StoreError) {
        if isDueAtClose { noteBeforeClose(Sleeper.block { compact(waking: $0) }) }
        if let failure = Sleeper.block({ close(waking: $0) }) { throw failure }
    }

    private func close(waking sleeper: Sleeper<StoreError?>) {
        enum Outcome { case waits, ended(StoreError?) }
        let (outcome, waiters) = withState { state -> (Outcome, [Sleeper<StoreError?>]) in
            if state.life.phase == .ended { return (.ended(state.life.closeFailure), []) }
            state.life.close(waking: sleeper)
            closing.store(true, ordering: .releasing)
            wakeWriter(&state, deadline: 0)
            return (.waits, state.room.takeWaiters())
        }
        for waiter in waiters { waiter.resume(returning: .closed) }
        if case .ended(let failure) = outcome { sleeper.resume(returning: failure) }
    }

    /// Ends the log as the death of the process would: nothing more is written. Returns once the writer's thread has
    /// let go of the files and the lock.
    func abandon() {
        withLock { held in
            held.state.life.abandon()
            held.broadcast()
            while held.state.life.phase != .ended { held.wait() }
        }
    }

    /// Whether the store was closed, or is being closed.
    var isEnded: Bool { closing.load(ordering: .acquiring) }
}
