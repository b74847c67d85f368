internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat
internal import Synchronization

/// Closing the log.
extension LogWriter {
    /// Writes and syncs what was accepted, writes a closing sync mark, frees unused preallocated space, and releases
    /// the files and the lock. The close reports the first error. The files are released in every case.
    mutating func close() {
        // After this, compaction asks this thread for nothing and doesn't touch the files.
        log.compaction.stop()
        var failure: StoreError?
        let (earlier, isAllOnDisk) = log.withState { state in
            (state.life.failure, state.commits.pipeline.lastSequence == state.commits.pipeline.syncedSequence)
        }
        if let earlier {
            // A caller that closes relies on all writes being on the disk.
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
        // On a full disk, this uses the space that the segment has just freed.
        try? fillReserve()
    }

    /// Releases everything. After a close, readers find a closed store. After a release of the store, the read views
    /// and scans that are left keep the files open until they are released.
    mutating func end(_ failure: StoreError?) {
        var failure = failure
        log.compaction.stop()
        finishedBoundary.map { log.index.release($0.point) }
        finishedBoundary = nil
        discardSpare()
        if log.image.isClosed || log.index.statistics.readPoints == 0 {
            do throws(FileSystemError) {
                try log.segments.closeAll()
            } catch {
                failure = failure ?? StoreError(error, "a log segment could not be closed")
            }
        }
        log.configuration.fileSystem.unbind()
        lock.unlock()
        let (closers, waiters, followers) = log.withState { state in
            (state.life.end(failure), state.space.takeWaiters(), state.takeFollowers())
        }
        log.executor.broadcast()
        for follower in followers { follower.resume(returning: ()) }
        log.visibleGate.fail(.closed)
        log.syncedGate.fail(.closed)
        resume(waiters, with: .closed)
        log.configuration.observer?(.closed)
        resume(closers, with: failure)
    }
}

nonisolated extension Log {
    /// Requests the close.
    ///
    /// - Parameter sleeper: Gets the outcome when the log is closed.
    func close(waking sleeper: Sleeper<StoreError?>) {
        enum Outcome { case waits, ended(StoreError?) }
        let (outcome, waiters) = withState { state -> (Outcome, [Sleeper<StoreError?>]) in
            if state.life.phase == .ended { return (.ended(state.life.closeFailure), []) }
            state.life.close(waking: sleeper)
            image.close()
            wakeWriter(&state, deadline: 0)
            return (.waits, state.space.takeWaiters())
        }
        for waiter in waiters { waiter.resume(returning: .closed) }
        if case .ended(let failure) = outcome { sleeper.resume(returning: failure) }
    }

    /// Ends the log as the death of the process would: nothing more is written. Returns when the writer's thread has
    /// released the files and the lock.
    func abandon() {
        isolated { log in
            log.state.life.abandon()
            executor.broadcast()
            while log.state.life.phase != .ended { log.waitForChange() }
        }
    }
}
