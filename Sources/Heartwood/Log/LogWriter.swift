internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Logging
internal import Synchronization

/// The log writer: the one thread that makes the log's system calls: writes, syncs, rotates, lays room and closes. What is
/// stored to a mapping comes from the callers.
///
/// It asks the pipeline what to do, does it without the lock, and tells the pipeline. Its own fields belong to its
/// thread alone, which is why it needs no lock for them and isn't `Sendable`: it is made on that thread.
struct LogWriter: ~Copyable {
    let log: Log
    let lock: any FileLock
    let storeID: StoreID
    /// What the next segment names as its predecessor.
    var predecessor: FileHeader.Predecessor?
    /// Temporary files that an earlier opening left; they go before the first file of our own comes.
    var leftovers: [String]
    /// Files that the snapshot covers with which this opening began; they go then, too.
    var superseded: [String]
    /// Whether the store says that its log is kept. Before the first file of our own it says what this opening does.
    var keepsLog: Bool

    /// The segment being prepared.
    var spare: Spare?
    /// Whether commits are being synced, so that zeroing blocks ahead pays.
    var isSyncing = false
    /// What compaction asked for, made by the last turn and not given to it yet.
    var finishedCut: Cut?
    /// What had been written by the end of the last commit, and when that was.
    private var lastCommit: (writtenBytes: UInt64, time: UInt64) = (0, 0)
    /// The last segment that it was tried to map.
    var triedToMap: ObjectIdentifier?
    /// Up to where the system was asked to bring which segment to the disk, and up to where it has.
    var writeback: (segment: ObjectIdentifier?, end: UInt64, arrived: UInt64) = (nil, 0, 0)
    /// When the next attempt to find room is made while the disk is full.
    var nextProbe: UInt64?
    var refusedDemands = LogRoom.Demands()
    /// Disk space for removals and compaction.
    var reserve: Reserve

    struct Spare {
        let file: any File
        /// The path that it has until it becomes a segment.
        let path: String
        var room: RoomPlan
        /// The file as memory; nil where commits go to it by calls.
        var mapping: LogMapping?
    }

    init(
        log: Log, lock: any FileLock, storeID: StoreID, predecessor: FileHeader.Predecessor?, leftovers: [String],
        superseded: [String], keepsLog: Bool
    ) {
        self.log = log
        self.lock = lock
        self.storeID = storeID
        self.predecessor = predecessor
        self.leftovers = leftovers
        self.superseded = superseded
        self.keepsLog = keepsLog
        reserve = Reserve(log.directory, in: log.configuration.fileSystem)
    }

    /// What is to be done next, as far as the shared state decides it.
    enum Job {
        case pipeline(CommitPipeline.Work)
        case demands(LogRoom.Demands)
        case prepare
        case close
        case abandon
    }

    /// The life of the thread: until the store is closed or dropped.
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
        return log.withLock { held in
            while true {
                held.state.writerSleepsUntil = nil
                let now = log.delays.now()
                switch held.state.nextJob(now: now, probe: probe, refused: refused) {
                case .job(let job):
                    held.state.noteTaken(job)
                    return job
                case .sleep(let until):
                    held.state.writerSleepsUntil = until
                    held.wait(timeoutNanoseconds: until == .max ? nil : log.delays.timeout(until: until, now: now))
                }
            }
        }
    }

    private mutating func perform(_ work: CommitPipeline.Work) throws(Failure) {
        isSyncing = log.withState { $0.commits.pipeline.open?.firstSynced != nil }
        switch work {
        case .commit(let sync): try commit(sync: sync)
        case .sync: try syncWritten()
        case .mark: return try writeMark(flags: .mark)
        case .sleep: return
        }
        prepare()
        giveWayToCompaction()
    }

    private mutating func giveWayToCompaction() {
        let (written, isDue) = log.withState { ($0.counters.writtenBytes, $0.logBytes >= $0.uncovered.trigger) }
        if isDue { log.askForCompaction() }
        let pause = log.compactionPause(
            written: written - lastCommit.writtenBytes, elapsed: log.delays.now() &- lastCommit.time)
        if pause > 0 { pauseThread(nanoseconds: Int(pause)) }
        lastCommit = (written, log.delays.now())
    }

    // MARK: - Commits

    /// Writes the open commit, syncs it if asked, and lets everybody see it and go on.
    mutating func commit(sync: Bool) throws(Failure) {
        let (sealed, waiters) = log.withState { state in
            // A caller may have stored it since.
            let isThere = state.commits.pipeline.hasUnsealed
            return (isThere ? state.commits.seal() : nil, state.room.takeWaiters())
        }
        resume(waiters)
        try finish(sealed)
        // Whoever wants a sync may have come after it was decided that there is none.
        if sync || sealed?.content.firstSynced != nil { try syncWritten() }
    }

    /// Writes what was sealed and isn't in the kernel yet, and lets everybody see what may be seen.
    mutating func finish(_ sealed: Sealed?) throws(Failure) {
        if let sealed { try log.write(sealed) }
        let visible = log.withState { state in
            if let sealed { state.noteWritten(sealed) }
            return state.commits.pipeline.visiblePoint
        }
        log.publish(visible)
    }

    /// Syncs what is written to the current segment, or to another one, and lets everybody see it.
    mutating func syncWritten(of other: Segment? = nil) throws(Failure) {
        let (segment, mapping, synced, end) = log.withState { state in
            state.commits.beginSync()
            let commits = state.commits
            return (
                other ?? commits.current!, other == nil ? commits.mapping : nil, commits.syncedEnd, commits.syncingEnd
            )
        }
        // What is no more than some pages isn't worth a call.
        if end - synced >= 64 << 10 { mapping?.release(before: end) }
        try syncFile(of: segment)
        noteSynced()
    }

    /// Syncs a segment: everything written to it is on disk then.
    func syncFile(of segment: Segment) throws(Failure) {
        try log.failing("the log could not be synced", segment) { () throws(FileSystemError) in
            try segment.file.sync(.data)
        }
        try checkLinked(segment)
    }

    /// Tells everybody that what was written before the sync is on disk.
    private func noteSynced() {
        let now = log.delays.now()
        let (visible, onDisk) = log.withState { state in
            state.counters.syncs += 1
            state.commits.synced(now: now)
            return (state.commits.pipeline.visiblePoint, state.commits.pipeline.syncedSequence)
        }
        log.publish(visible)
        log.syncedGate.open(to: onDisk)
    }

    /// Writes an empty commit at the next boundary, which says that everything before it is on disk, and syncs it.
    ///
    /// Its own page: however it is torn, no page that holds records is.
    mutating func writeMark(flags: CommitHeader.Flags) throws(Failure) {
        let placed = log.withState { state -> (segment: Segment, offset: UInt64, next: SequenceNumber)? in
            // Something came in the meantime: it will bring a mark of its own.
            guard state.commits.pipeline.open == nil, state.commits.pipeline.unsyncedSince == nil,
                let segment = state.commits.current
            else { return nil }
            // Each takes a page, and the reserve is for removals. The next commit says the same; so does the close.
            if state.room.plan.isReserved, !flags.contains(.closing) {
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

    // MARK: - What the others learn

    func resume(_ waiters: [Sleeper<StoreError?>], with error: StoreError? = nil) {
        for waiter in waiters { waiter.resume(returning: error) }
    }

    /// After a failed write or sync nothing more is acknowledged: what the disk holds is unknown, and a second sync
    /// would succeed without having written what the first one lost.
    func fail(_ failure: Failure) { log.fail(failure.cause, failure.doing) }
}

nonisolated extension Log {
    /// Ends all writing: `doing` failed, as `cause` says.
    func fail(_ cause: FileSystemError, _ doing: String) {
        configuration.logger?.critical(
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
        let waiters = withState { state in
            state.life.fail(refused)
            state.wantsCut = false
            return state.room.takeWaiters()
        }
        for waiter in waiters { waiter.resume(returning: refused) }
        visibleGate.fail(unknown)
        syncedGate.fail(unknown)
        compaction.deliver(.failure(refused))
    }
}

extension Log.State {
    /// What the log writer finds when it looks.
    enum Found {
        case job(LogWriter.Job)
        /// Nothing before this time (`.max`: none), or before somebody asks for something.
        case sleep(until: UInt64)
    }

    /// What the log writer is to do now.
    ///
    /// - Parameters:
    ///   - probe: When it looks again whether a full disk has room.
    ///   - refused: What was asked for when it hadn't.
    fileprivate func nextJob(now: UInt64, probe: UInt64?, refused: LogRoom.Demands) -> Found {
        switch life.phase {
        case .closing: return .job(.close)
        case .abandoned, .ended: return .job(.abandon)
        case .running: break
        }
        if life.failure != nil { return .sleep(until: .max) }
        if !room.demands.isEmpty { return .job(.demands(room.demands)) }
        if let probe, probe <= now { return .job(.demands(refused)) }
        if room.wantsAhead { return .job(.prepare) }
        switch commits.pipeline.work(now: now) {
        case .sleep(let deadline): return .sleep(until: min(probe ?? .max, deadline ?? .max))
        case let work: return .job(.pipeline(work))
        }
    }

    /// The log writer does this job now: nobody needs to ask for it again.
    fileprivate mutating func noteTaken(_ job: LogWriter.Job) {
        switch job {
        case .demands: room.demands = LogRoom.Demands()
        case .prepare: room.wantsAhead = false
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
