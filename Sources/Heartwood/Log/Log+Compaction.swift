internal import HeartwoodConcurrency
internal import Logging

/// The log as compaction sees it.
nonisolated extension Log {
    /// Sets the garbage at which compaction is first considered after opening.
    func setFirstCompactionTrigger() {
        var facts = compactionFacts
        // The first write starts one more segment.
        facts.segments += 1
        let now = delays.now()
        let decision = compaction.state.withState { $0.schedule.look(facts, now: now) }
        let trigger =
            switch decision {
            case .now, .count, .later(time: .some, garbage: _): 0 as UInt64
            case .later(time: nil, let garbage): garbage
            }
        withState { $0.uncovered.trigger = trigger }
    }

    /// Whether compaction yields the index to writers. True until the log is 1.25 times as large as the size at which
    /// it is compacted.
    var compactionGivesWay: Bool {
        let logBytes = withState { $0.logBytes }
        return logBytes / 5 < compactionLimit / 4
    }

    private var compactionLimit: UInt64 {
        configuration.compaction.logLimit(liveBytes: index.liveBytes)
    }
}

/// Requests.
nonisolated extension Log {
    /// Requests a compaction that begins after this call.
    func compact(_ request: CompactionControl.Request) {
        if Task.isCancelled { return request.sleeper.resume(returning: .failure(.compactionCancelled)) }
        let isClosed = compaction.state.withState { state in
            if state.isStopping { return true }
            state.waiting.append(request)
            return false
        }
        if isClosed { return request.sleeper.resume(returning: .failure(.closed)) }
        // If the task was cancelled before the request was in `waiting`, `onCancel` did not find it.
        if Task.isCancelled { compaction.cancel(request.id) }
        wakeCompactor()
    }

    /// The same, for a caller that doesn't cancel it.
    func compact(
        waking sleeper: Sleeper<CompactionControl.Outcome>, progress: (@Sendable (CompactionProgress) -> Void)? = nil
    ) {
        compact(CompactionControl.Request(id: compaction.makeRequestID(), sleeper: sleeper, progress: progress))
    }

    /// Whether the close compacts first: the store has so many small segments that the next opening would read them
    /// all.
    private var isDueAtClose: Bool {
        // A short opening has made one segment. Longer ones compact while they run.
        guard withState({ $0.counters.rotations == 1 && $0.life.acceptsWrites }) else { return false }
        let facts = compactionFacts
        return compaction.state.withState {
            $0.schedule.isDueAtClose(facts, from: configuration.segmentsAtClose)
        }
    }

    /// Logs that the compaction before a close failed. The store is unchanged by that.
    private func noteBeforeClose(_ outcome: CompactionControl.Outcome) {
        if case .failure(let error) = outcome {
            configuration.logger?.info(
                "the store was closed without being compacted",
                metadata: ["store": "\(directory)", "error": "\(error)"])
        }
    }

    /// Makes the compactor check whether there is work, and starts its thread if necessary.
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
                self.compactor(self)
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

    /// Asks the log writer for a compaction boundary, and waits for it. Called by the compactor.
    ///
    /// - Parameter isSparing: Whether the segment that begins there is to take as little disk space as possible.
    func makeBoundary(isSparing: Bool) throws(StoreError) -> CompactionBoundary {
        compaction.state.withState { $0.boundary = nil }
        try withState { (state) throws(StoreError) in
            try state.life.checkAcceptsWrites()
            state.wantsBoundary = true
            state.space.demands.boundary = true
            state.space.demands.isSparing = isSparing
            wakeWriter(&state, deadline: 0)
        }
        let boundary = compaction.state.withLock { held -> Result<CompactionBoundary, StoreError> in
            while true {
                if let boundary = held.state.boundary {
                    held.state.boundary = nil
                    return boundary
                }
                if held.state.isStopping { return .failure(.closed) }
                held.wait()
            }
        }
        return try boundary.get()
    }
}

/// The close, which may compact first.
nonisolated extension Log {
    /// Closes the log and waits for it. The log is closed once, whatever the number of calls and callers; each gets the
    /// outcome.
    nonisolated(nonsending) func close() async throws(StoreError) {
        if isDueAtClose { noteBeforeClose(await Sleeper.suspend { compact(waking: $0) }) }
        if let failure = await Sleeper.suspend({ close(waking: $0) }) { throw failure }
    }

    /// The same for a thread, which it blocks.
    func closeBlocking() throws(StoreError) {
        if isDueAtClose { noteBeforeClose(Sleeper.block { compact(waking: $0) }) }
        if let failure = Sleeper.block({ close(waking: $0) }) { throw failure }
    }
}

/// What the log writer tells compaction.
nonisolated extension Log {
    /// The log is so long, or has so many segments, that a compaction may be due.
    func hasGrown() {
        guard configuration.compaction.isAutomatic else { return }
        withState { $0.uncovered.trigger = .max }
        wakeCompactor()
    }

    /// How long the log writer must pause after a commit, in nanoseconds. Longer than 0 only while a compaction runs,
    /// because nothing else makes the log shorter.
    func pause(written: UInt64, elapsed: UInt64) -> UInt64 {
        let logBytes = withState { $0.logBytes }
        guard logBytes / 3 > configuration.compaction.minimumLogBytes, case .system = delays else { return 0 }
        let (isRunning, rate) = compaction.state.withState { ($0.isRunning, $0.bytesPerSecond) }
        guard isRunning else { return 0 }
        return WriteThrottle.pause(
            logBytes: logBytes, limit: compactionLimit, written: written, elapsed: elapsed, rate: rate)
    }
}

nonisolated extension Log {
    /// The input for the decision whether a compaction is due.
    var compactionFacts: CompactionSchedule.Facts {
        let (live, expiring) = index.liveAndExpiringBytes
        let held = compaction.state.withState { $0.pinnedFiles }
        // Sync marks alone need no compaction.
        let (logBytes, snapshotBytes, isNothing) = withState {
            ($0.logBytes, $0.uncovered.snapshotBytes, $0.life.failure != nil || $0.logRecords == 0)
        }
        return CompactionSchedule.Facts(
            logBytes: isNothing ? 0 : logBytes, snapshotBytes: snapshotBytes, liveBytes: live,
            expiringBytes: expiring, segments: max(0, segments.count - held))
    }
}
