internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat
internal import Logging

/// The compaction thread. It waits for a request or for a large enough log. It writes a snapshot, updates the index to
/// the new record locations, and removes the replaced files when no reader uses them.
///
/// Only its own thread uses its fields.
struct Compactor {
    let log: Log
    /// The newest snapshot of this opening. Records are moved to it.
    var newest: (snapshot: SnapshotFile, segment: Segment)?
    /// The files that each snapshot of this opening has replaced and that still exist, oldest first.
    var retirements: [Retirement] = []
    /// Files that could not be removed. Removal is tried again.
    var unremoved: [String] = []

    var control: CompactionControl { log.compaction }
    var image: StoreImage { log.image }
    var fileSystem: any FileSystem { image.fileSystem }

    /// How often the thread checks whether readers of replaced files have finished, in nanoseconds.
    private static var poll: UInt64 { 20_000_000 }

    init(log: Log) {
        self.log = log
        unremoved = log.compaction.damaged
    }

    // MARK: - The thread

    private enum Work { case compact, retire }

    /// Runs the thread until the store is closed.
    mutating func run() {
        while let work = nextWork() {
            switch work {
            case .compact: compactAndTell()
            case .retire: retire()
            }
        }
        // The next opening removes the files that are left.
        control.state.withLock { held in
            held.state.hasThread = false
            held.broadcast()
        }
    }

    /// Sleeps until there is work; nil when the store is closed.
    private mutating func nextWork() -> Work? {
        var expiredBytes: UInt64?
        while true {
            var facts = log.compactionFacts
            facts.expiredBytes = expiredBytes.take()
            let now = log.delays.now()
            var until: UInt64 = retirements.isEmpty ? .max : now &+ Self.poll
            var trigger: UInt64 = .max
            let hasRetirement = !retirements.isEmpty
            let hasUnneeded = hasRetirement || control.hasExceedingLog(log.configuration.logRetention)
            enum Step { case end, work(Work), count, sleep }
            let step = control.state.withLock { [facts] held -> Step in
                if held.state.isStopping { return .end }
                held.state.isAsleep = false
                if !held.state.waiting.isEmpty { return .work(.compact) }
                switch held.state.schedule.look(facts, now: now) {
                case .now: return .work(.compact)
                case .count: return .count
                case .later(let time, let garbage):
                    until = min(until, time ?? .max)
                    trigger = garbage
                }
                let wasPoked = held.state.isPoked
                held.state.isPoked = false
                return wasPoked && hasUnneeded ? .work(.retire) : .sleep
            }
            switch step {
            case .end: return nil
            case .work(let work): return work
            case .count:
                expiredBytes = image.index.expiredBytes(at: image.now.milliseconds)
                continue
            case .sleep: break
            }
            let isReached = log.withState { state in
                state.uncovered.trigger = trigger
                return state.garbage(image.index) >= trigger
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
        log.configuration.observer?(.compactionBegan)
        let clock = ContinuousClock()
        let start = clock.now
        var outcome: CompactionControl.Outcome
        do throws(StoreError) {
            outcome = .success(try compact())
        } catch {
            outcome = .failure(error)
            SnapshotMaking(image: image, control: control).removeUnfinished()
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
        // A progress closure may hold the last reference to the store, and releasing the store waits for this thread.
        // So the closures are released before any caller is resumed: the waiting callers still hold the store then.
        let sleepers = control.state.withState { state in
            // The request is still waiting, so its task wasn't cancelled: the store was closed.
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
            log.configuration.logger?.info(
                "compaction failed; nothing was dropped, and it is tried again later",
                metadata: ["store": "\(image.directory)", "error": "\(error)"])
        }
        switch outcome {
        case .success(let report): log.configuration.observer?(.compacted(report))
        case .failure(let error): log.configuration.observer?(.compactionFailed(error))
        }
        for sleeper in sleepers { sleeper.resume(returning: outcome) }
    }
}
