internal import HeartwoodFileSystem
internal import Logging
internal import Synchronization

extension Store {
    /// Writes all that is live into a snapshot, and drops the log that it replaces. Writers and readers go on meanwhile.
    ///
    /// Covers everything that was accepted before the call. A store compacts itself, by its configuration; this is for
    /// those who know better, such as before a backup, or after much was deleted.
    ///
    /// When the task is cancelled, and nobody else has asked for this compaction, it is given up. What the store holds is
    /// the same either way.
    ///
    /// - Parameter progress: Called now and then, from the thread that does the work.
    /// - Returns: What was done. Files that snapshots and scans still read from go later, when those are gone.
    /// - Throws: `.closed`, `.cancelled`, `.failed`, `.outOfSpace` with the bytes that it takes, `.corruption` where a
    ///   record is damaged, `.inputOutput`, `.permission`, `.tooManyFiles`. Nothing was dropped then.
    /// - Complexity: O(live bytes), written once and read twice; O(keys of the log) of the index's time.
    @discardableResult
    public nonisolated(nonsending) func compact(
        progress: (@Sendable (CompactionProgress) -> Void)? = nil
    ) async throws(StoreError) -> CompactionReport {
        let control = log.compaction
        let id = control.makeRequestID()
        let outcome = await withTaskCancellationHandler {
            await Sleeper.suspend {
                log.compact(CompactionControl.Request(id: id, sleeper: $0, progress: progress))
            }
        } onCancel: {
            control.cancel(id)
        }
        return try outcome.get()
    }
}

nonisolated extension Log {
    /// Takes a request; the compactor's thread answers it.
    func compact(_ request: CompactionControl.Request) {
        if Task.isCancelled { return request.sleeper.resume(returning: .failure(.compactionCancelled)) }
        let isClosed = compaction.state.withState { state in
            if state.isStopping { return true }
            state.waiting.append(request)
            return false
        }
        if isClosed { return request.sleeper.resume(returning: .failure(.closed)) }
        // Cancelled before it was among those that wait: nobody has found it then.
        if Task.isCancelled { compaction.cancel(request.id) }
        wakeCompactor()
    }

    /// The same for a caller that can't cancel it.
    func compact(
        waking sleeper: Sleeper<CompactionControl.Outcome>, progress: (@Sendable (CompactionProgress) -> Void)? = nil
    ) {
        compact(CompactionControl.Request(id: compaction.makeRequestID(), sleeper: sleeper, progress: progress))
    }

    /// Whether to compact, before a close, what short openings have left.
    var isDueAtClose: Bool {
        // One that was short has made one segment. The others compact while they run.
        guard withState({ $0.counters.rotations == 1 && $0.life.acceptsWrites }) else { return false }
        let facts = compactionFacts
        return compaction.state.withState { $0.schedule.isDueAtClose(facts, from: configuration.segmentsAtClose) }
    }

    /// Logs a failure of the compaction before a close, which leaves the store as it is.
    func noteBeforeClose(_ outcome: CompactionControl.Outcome) {
        if case .failure(let error) = outcome {
            configuration.logger?.notice(
                "the store was closed without being compacted",
                metadata: ["store": "\(directory)", "error": "\(error)"])
        }
    }

    /// The log has grown so much that it may be time. By the log writer.
    func askForCompaction() {
        guard configuration.compaction.isAutomatic else { return }
        withState { $0.uncovered.trigger = .max }
        wakeCompactor()
    }

    /// Lets the compactor look whether there is something to do.
    func wakeCompactor() {
        let needsThread = compaction.state.withLock { held in
            held.state.isPoked = true
            held.broadcast()
            if held.state.hasThread || held.state.isStopping { return false }
            held.state.hasThread = true
            return true
        }
        guard needsThread else { return }
        do {
            try startThread(name: "heartwood-compact") {
                var compactor = Compactor(log: self)
                compactor.run()
            }
        } catch {
            let waiting = compaction.state.withLock { held in
                held.state.hasThread = false
                held.broadcast()
                defer { held.state.waiting = [] }
                return held.state.waiting
            }
            let failure = StoreError(
                .tooManyFiles, "the thread of compaction could not be started: raise the limit of threads",
                cause: error)
            for request in waiting { request.sleeper.resume(returning: .failure(failure)) }
        }
    }

    /// Asks the log writer for a cut, and waits for it. By the compactor.
    ///
    /// - Parameter isSparing: Whether the segment that it begins is to leave as much of the disk as it can.
    func makeCut(isSparing: Bool) throws(StoreError) -> Cut {
        compaction.state.withState { $0.cut = nil }
        try withState { (state) throws(StoreError) in
            try state.life.checkAcceptsWrites()
            state.wantsCut = true
            state.room.demands.cut = true
            state.room.demands.isSparing = isSparing
            wakeWriter(&state, deadline: 0)
        }
        let cut = compaction.state.withLock { held -> Result<Cut, StoreError> in
            while true {
                if let cut = held.state.cut {
                    held.state.cut = nil
                    return cut
                }
                if held.state.isStopping { return .failure(.closed) }
                held.wait()
            }
        }
        return try cut.get()
    }
}
