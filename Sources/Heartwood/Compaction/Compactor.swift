internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat
internal import Logging

/// The thread that compacts: it waits until it is asked, or until the log is large enough, makes a snapshot, tells the
/// index where records lie now, and lets go of the files that the snapshot replaces when nobody reads them any more.
///
/// Its own fields belong to its thread alone.
struct Compactor {
    let log: Log
    /// The newest snapshot of this opening, to which records are moved.
    var newest: (snapshot: SnapshotFile, segment: Segment)?
    /// What each snapshot of this opening has replaced, as long as it is still there, oldest first.
    var retirements: [Retirement] = []
    /// Files that could not be removed; they are tried again.
    var unremoved: [String] = []

    var control: CompactionControl { log.compaction }
    var fileSystem: any FileSystem { log.configuration.fileSystem }

    /// How often it is looked whether those who still read replaced files are gone.
    private static var poll: UInt64 { 20_000_000 }

    init(log: Log) {
        self.log = log
        unremoved = log.compaction.damaged
    }

    // MARK: - The thread

    private enum Work { case compact, retire }

    /// The life of the thread: until the store is closed.
    mutating func run() {
        while let work = nextWork() {
            switch work {
            case .compact: compactAndTell()
            case .retire: retire()
            }
        }
        // What is left the next opening removes.
        control.state.withLock { held in
            held.state.hasThread = false
            held.broadcast()
        }
    }

    /// Sleeps until there is something to do; nil at the end.
    private mutating func nextWork() -> Work? {
        while true {
            let facts = log.compactionFacts
            let now = log.delays.now()
            var until: UInt64 = retirements.isEmpty ? .max : now &+ Self.poll
            var trigger: UInt64 = .max
            let hasRetirement = !retirements.isEmpty
            enum Step { case end, work(Work), sleep }
            let step = control.state.withLock { held -> Step in
                if held.state.isStopping { return .end }
                held.state.isAsleep = false
                if !held.state.waiting.isEmpty { return .work(.compact) }
                switch held.state.schedule.look(facts, now: now) {
                case .now: return .work(.compact)
                case .later(let time, let logBytes):
                    until = min(until, time ?? .max)
                    trigger = logBytes
                }
                let wasPoked = held.state.isPoked
                held.state.isPoked = false
                return wasPoked && hasRetirement ? .work(.retire) : .sleep
            }
            switch step {
            case .end: return nil
            case .work(let work): return work
            case .sleep: break
            }
            let isReached = log.withState { state in
                state.uncovered.trigger = trigger
                return state.logBytes >= trigger
            }
            if isReached { continue }
            let wasWoken = control.state.withLock { held in
                if held.state.isPoked || held.state.isStopping { return true }
                held.state.isAsleep = true
                defer { held.state.isAsleep = false }
                return held.wait(timeoutNanoseconds: log.delays.timeout(until: until, now: now))
            }
            if !wasWoken, hasRetirement { return .retire }
        }
    }

    // MARK: - One compaction

    private mutating func compactAndTell() {
        let isAutomatic = control.state.withState { state in
            state.served = state.waiting
            state.waiting = []
            state.isRunning = true
            state.isGivenUp = false
            state.statistics.isRunning = true
            return state.served.isEmpty
        }
        let clock = ContinuousClock()
        let start = clock.now
        var outcome: CompactionControl.Outcome
        do throws(StoreError) {
            outcome = .success(try compact())
        } catch {
            outcome = .failure(error)
            SnapshotMaking(log: log).removeUnfinished()
        }
        if case .success(var report) = outcome {
            report.duration = clock.now - start
            outcome = .success(report)
        }
        tell(outcome, isAutomatic)
    }

    private func tell(_ outcome: CompactionControl.Outcome, _ isAutomatic: Bool) {
        let now = log.delays.now()
        let isDirty = log.compactionFacts.logBytes > 0
        var outcome = outcome
        // The functions that were told the progress may be the last to have the store: they go before anybody is resumed,
        // while those who wait still have it. The store's end waits for this thread.
        let sleepers = control.state.withState { state in
            // Whoever waited for it didn't cancel it: the store was closed.
            if case .failure(let error) = outcome, error.code == .cancelled, state.isStopping {
                outcome = .failure(.closed)
            }
            state.isRunning = false
            state.statistics.isRunning = false
            switch outcome {
            case .success(let report):
                state.schedule.succeeded(isDirty: isDirty, now: now)
                state.statistics.completed += 1
                if let rate = report.bytesPerSecond { state.bytesPerSecond = rate }
                state.statistics.last = report
                state.statistics.failure = nil
            case .failure(let error) where error.code == .cancelled || error.code == .closed: break
            case .failure(let error):
                state.schedule.failed(now: now)
                state.statistics.failed += 1
                state.statistics.failure = "\(error)"
            }
            defer { state.served = [] }
            return state.served.map(\.sleeper)
        }
        if isAutomatic, case .failure(let error) = outcome, error.code != .closed, error.code != .cancelled {
            log.configuration.logger?.error(
                "compaction failed; nothing was dropped, and it is tried again later",
                metadata: ["store": "\(log.directory)", "error": "\(error)"])
        }
        for sleeper in sleepers { sleeper.resume(returning: outcome) }
    }
}

nonisolated extension Log {
    /// What it is decided by whether compaction is due.
    var compactionFacts: CompactionSchedule.Facts {
        let live = index.liveBytes
        let held = compaction.state.withState { $0.heldFiles }
        // Marks alone are nothing to compact.
        let (logBytes, isNothing) = withState { ($0.logBytes, $0.life.failure != nil || $0.logRecords == 0) }
        return CompactionSchedule.Facts(
            logBytes: isNothing ? 0 : logBytes, liveBytes: live, segments: max(0, segments.count - held))
    }
}
