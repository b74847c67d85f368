internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Logging
internal import Synchronization

/// The log writer: the one thread that makes the log's system calls. It writes, syncs, rotates, preallocates and
/// closes. Callers do the stores to a mapping.
///
/// It asks the pipeline what to do, does it without the lock, and reports to the pipeline. Its own fields are used only
/// by its thread, on which it is made. So they need no lock, and it isn't `Sendable`.
struct LogWriter: ~Copyable {
    let log: Log
    let lock: any FileLock
    /// The predecessor that the next segment's header names.
    var predecessor: FileHeader.Predecessor?
    /// Temporary files of an earlier opening. They are removed before this opening makes its first file.
    var leftovers: [String]
    /// Files that the snapshot covers that was found at the opening. They are removed at the same time.
    var superseded: [String]
    /// Whether the directory records that the log is kept. Brought up to date before the first file of this opening.
    var keepsLog: Bool

    /// The segment being prepared.
    var spare: Spare?
    /// Whether commits are being synced, so that zeroing blocks ahead pays.
    var isSyncing = false
    /// The compaction boundary that the last rotation made, until it is delivered.
    var finishedBoundary: CompactionBoundary?
    /// The bytes written by the end of the last commit, and the time of that.
    private var lastCommit: (writtenBytes: UInt64, time: UInt64) = (0, 0)
    /// The last segment that the writer tried to map.
    var triedToMap: ObjectIdentifier?
    /// The segment in writeback, the offset up to which writeback was started, and the offset up to which it is
    /// finished.
    var writeback: (segment: ObjectIdentifier?, end: UInt64, arrived: UInt64) = (nil, 0, 0)
    /// When to look for space again while the disk is full.
    var nextProbe: UInt64?
    var refusedDemands = LogSpace.Demands()
    /// Disk space for removals and compaction.
    var reserve: Reserve
    /// The wall clock less the monotonic one, at the last look.
    private var clockDrift: Int64

    struct Spare {
        let file: any File
        /// The path that the file has until it becomes a segment.
        let path: String
        var space: PreallocationPlan
        /// The mapping of the file; nil if commits are written to it by system calls.
        var mapping: LogMapping?
    }

    init(
        log: Log, lock: any FileLock, predecessor: FileHeader.Predecessor?, leftovers: [String],
        superseded: [String], keepsLog: Bool
    ) {
        self.log = log
        self.lock = lock
        self.predecessor = predecessor
        self.leftovers = leftovers
        self.superseded = superseded
        self.keepsLog = keepsLog
        reserve = Reserve(log.directory, in: log.configuration.fileSystem)
        clockDrift = log.clockDrift
    }

    /// What to do next, as far as the shared state decides it.
    enum Job {
        case pipeline(CommitPipeline.Work)
        case demands(LogSpace.Demands)
        case prepare
        case close
        case abandon
    }

    /// The main loop of the thread, until the store is closed or released.
    mutating func run() {
        while true {
            switch nextJob() {
            case .pipeline(let work): attempt { (writer) throws(Failure) in try writer.perform(work) }
            case .demands(let demands): meet(demands)
            case .prepare:
                prepare()
                giveWayToCompaction()
            case .close:
                close()
                return
            case .abandon:
                end(nil)
                return
            }
        }
    }

    typealias Failure = Log.Failure
    typealias Sealed = Log.Sealed

    private mutating func attempt(_ body: (inout LogWriter) throws(Failure) -> Void) {
        do throws(Failure) { try body(&self) } catch { fail(error) }
    }

    /// Sleeps until there is something to do.
    private mutating func nextJob() -> Job {
        let probe = nextProbe
        let refused = refusedDemands
        return log.isolated { log in
            while true {
                log.state.writerSleepsUntil = nil
                let now = log.delays.now()
                switch log.state.nextJob(now: now, probe: probe, refused: refused) {
                case .job(let job):
                    log.state.noteTaken(job)
                    return job
                case .sleep(let until):
                    log.state.writerSleepsUntil = until
                    log.waitForChange(
                        timeoutNanoseconds: until == .max ? nil : log.delays.timeout(until: until, now: now))
                }
            }
        }
    }

    private mutating func perform(_ work: CommitPipeline.Work) throws(Failure) {
        isSyncing = log.withState { $0.commits.pipeline.open?.firstSynced != nil }
        if log.configuration.logger != nil { noteClock() }
        switch work {
        case .commit(let sync): try commit(sync: sync)
        case .sync: try syncWritten()
        case .mark: return try writeMark(flags: .mark)
        case .wakeFollowers: return log.publish()
        case .sleep: return
        }
        prepare()
        giveWayToCompaction()
    }

    private mutating func noteClock() {
        let drift = log.clockDrift
        log.warn(clockSetBy: drift - clockDrift)
        clockDrift = drift
    }

    private mutating func giveWayToCompaction() {
        let (written, isDue) = log.withState { state in
            (state.counters.writtenBytes, state.garbage(log.index) >= state.uncovered.trigger)
        }
        if isDue { log.hasGrown() }
        let pause = log.pause(
            written: written - lastCommit.writtenBytes, elapsed: log.delays.now() &- lastCommit.time)
        if pause > 0 {
            pauseThread(nanoseconds: Int(pause))
            log.withState { $0.counters.throttled += pause }
        }
        lastCommit = (written, log.delays.now())
    }

    // MARK: - Commits

    /// Writes the open commit, syncs it if asked, and makes it visible.
    mutating func commit(sync: Bool) throws(Failure) {
        let (sealed, waiters) = log.withState { state in
            // A caller may have stored it since.
            let isThere = state.commits.pipeline.hasUnsealed
            return (isThere ? state.commits.seal() : nil, state.space.takeWaiters())
        }
        resume(waiters)
        try finish(sealed)
        // A write that needs a sync may have come after the decision that none is needed.
        if sync || sealed?.content.firstSynced != nil { try syncWritten() }
    }

    /// Writes what was sealed and isn't in the kernel yet, and makes visible what may be.
    mutating func finish(_ sealed: Sealed?) throws(Failure) {
        if let sealed { try log.write(sealed) }
        if let sealed { log.withState { $0.noteWritten(sealed) } }
        log.publish()
    }

    /// Syncs what is written to the current segment, or to another one, and makes it visible.
    mutating func syncWritten(of other: Segment? = nil) throws(Failure) {
        let (segment, mapping, synced, end, before) = log.withState { state in
            state.commits.beginSync()
            let commits = state.commits
            return (
                other ?? commits.current!, other == nil ? commits.mapping : nil, commits.syncedEnd, commits.syncingEnd,
                commits.pipeline.syncedSequence
            )
        }
        // For a few pages the call isn't worth its cost.
        if end - synced >= 64 << 10 { mapping?.release(before: end) }
        let start = log.configuration.observer == nil ? 0 : log.delays.now()
        try syncFile(of: segment)
        let (now, onDisk) = noteSynced()
        log.configuration.observer?(
            .synced(
                duration: .nanoseconds(now &- start), batches: onDisk - before, bytes: end - min(synced, end)))
    }

    /// Syncs a segment: everything written to it is on disk then.
    func syncFile(of segment: Segment) throws(Failure) {
        try log.failing("the log could not be synced", segment) { () throws(FileSystemError) in
            try segment.file.sync(.data)
        }
        try checkLinked(segment)
    }

    /// Publishes that what was written before the sync is on disk.
    ///
    /// - Returns: The time, and the number up to which everything is on disk.
    private func noteSynced() -> (now: UInt64, onDisk: SequenceNumber) {
        let now = log.delays.now()
        let onDisk = log.withState { state in
            state.counters.syncs += 1
            state.commits.synced(now: now)
            return state.commits.pipeline.syncedSequence
        }
        log.publish()
        log.syncedGate.open(to: onDisk)
        return (now, onDisk)
    }

    /// Writes a sync mark, an empty commit that says that everything before it is on disk, at the next page boundary,
    /// and syncs it.
    ///
    /// It has a page of its own, so that a torn write of it damages no page with records.
    mutating func writeMark(flags: CommitHeader.Flags) throws(Failure) {
        let placed = log.withState { state -> (segment: Segment, offset: UInt64, next: SequenceNumber)? in
            // Something was accepted meanwhile. It will be followed by its own sync mark.
            guard state.commits.pipeline.open == nil, state.commits.pipeline.unsyncedSince == nil,
                let segment = state.commits.current
            else { return nil }
            // Each sync mark takes a page, and the reserve is for removals. The header of the next commit says the
            // same, and so does the close.
            if state.space.plan.isReserved, !flags.contains(.closing) {
                state.commits.pipeline.marked()
                return nil
            }
            state.counters.marks += 1
            return (segment, state.commits.beginMark(), state.commits.pipeline.lastSequence + 1)
        }
        guard let (segment, offset, next) = placed else { return }
        let time = log.now.milliseconds
        let header = CommitHeader(
            flags: flags, bodyLength: 0, firstSequence: next, syncedMark: offset, time: time, recordCount: 0)
        let bytes = header.encoded(salt: segment.header.salt, offset: offset)
        try log.failing("a mark could not be written to the log", segment) { () throws(FileSystemError) in
            try lend(bytes) { (buffer) throws(FileSystemError) in try segment.file.writeFully(buffer, at: offset) }
            try segment.file.sync(.data)
        }
        log.noteWritten(segment, to: offset + UInt64(bytes.count))
        log.withState { state in
            state.counters.writtenBytes += UInt64(bytes.count)
            state.counters.syncs += 1
            state.commits.marked()
        }
    }

    // MARK: - Results for waiting callers

    func resume(_ waiters: [Sleeper<StoreError?>], with error: StoreError? = nil) {
        for waiter in waiters { waiter.resume(returning: error) }
    }

    /// After a failed write or sync, nothing more is acknowledged. What the disk holds is unknown, and a second sync
    /// would succeed without having written what the first one lost.
    func fail(_ failure: Failure) { log.fail(failure.cause, failure.doing) }
}

nonisolated extension Log {
    /// Ends all writing, because `doing` failed with `cause`.
    func fail(_ cause: FileSystemError, _ doing: String) {
        configuration.logger?.info(
            "a write to the log failed; the store takes no more writes until it is reopened",
            metadata: ["store": "\(directory)", "cause": "\(cause)"])
        let refused = StoreError(
            .failed,
            "an earlier write to the log failed, so this one was not accepted: close the store and open it again",
            file: cause.path, cause: cause)
        let unknown = StoreError(
            .outcomeUnknown,
            "\(doing); whether this write survives is unknown: close the store, open it again, and look",
            file: cause.path, cause: cause)
        let (waiters, followers) = withState { state in
            state.life.fail(refused)
            state.wantsBoundary = false
            return (state.space.takeWaiters(), state.takeFollowers())
        }
        for waiter in waiters { waiter.resume(returning: refused) }
        for follower in followers { follower.resume(returning: ()) }
        visibleGate.fail(unknown)
        syncedGate.fail(unknown)
        compaction.deliver(.failure(refused))
        configuration.observer?(.failed(unknown))
    }
}

extension Log.State {
    /// The result of looking for a job.
    enum Found {
        case job(LogWriter.Job)
        /// Nothing before this time (`.max`: none), or before a request.
        case sleep(until: UInt64)
    }

    /// What the log writer has to do now.
    ///
    /// - Parameters:
    ///   - probe: When to look again whether a full disk has space.
    ///   - refused: The demands that were refused when it had none.
    fileprivate func nextJob(now: UInt64, probe: UInt64?, refused: LogSpace.Demands) -> Found {
        switch life.phase {
        case .closing: return .job(.close)
        case .abandoned, .ended: return .job(.abandon)
        case .running: break
        }
        if life.failure != nil { return .sleep(until: .max) }
        if !space.demands.isEmpty { return .job(.demands(space.demands)) }
        if let probe, probe <= now { return .job(.demands(refused)) }
        if space.wantsAhead { return .job(.prepare) }
        switch commits.pipeline.work(now: now) {
        case .sleep(let deadline): return .sleep(until: min(probe ?? .max, deadline ?? .max))
        case let work: return .job(.pipeline(work))
        }
    }

    /// Removes the request for a job that the log writer does now.
    fileprivate mutating func noteTaken(_ job: LogWriter.Job) {
        switch job {
        case .demands: space.demands = LogSpace.Demands()
        case .prepare: space.wantsAhead = false
        case .pipeline, .close, .abandon: break
        }
    }

    /// A sealed commit is in the kernel.
    fileprivate mutating func noteWritten(_ sealed: Log.Sealed) {
        counters.commits += 1
        counters.writtenBytes += UInt64(sealed.buffer.count)
        commits.written(sealed)
    }
}
