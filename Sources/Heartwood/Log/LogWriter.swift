internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Logging
internal import Synchronization

/// The log writer: the one thread that writes, syncs, rotates and closes the log. Nothing else of the engine blocks on
/// a write or a sync.
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

    /// The segment being prepared.
    var spare: Spare?
    /// Everything of the current segment before this offset is on disk: what the next commit says as its mark.
    var syncedEnd: UInt64 = 0
    /// Where the last commit of the current segment ends.
    var writtenEnd: UInt64 = 0
    /// Whether commits are being synced, so that zeroing blocks ahead pays.
    var isSyncing = false
    /// What compaction asked for, made by the last turn and not given to it yet.
    var finishedCut: Cut?
    /// What had been written by the end of the last commit, and when that was.
    private var lastCommit: (writtenBytes: UInt64, time: UInt64) = (0, 0)
    /// When the next attempt to find room is made while the disk is full.
    var nextProbe: UInt64?
    var refusedDemands = Log.Demands()

    struct Spare {
        let file: any File
        var room: RoomPlan
    }

    init(
        log: Log, lock: any FileLock, storeID: StoreID, predecessor: FileHeader.Predecessor?, leftovers: [String],
        superseded: [String]
    ) {
        self.log = log
        self.lock = lock
        self.storeID = storeID
        self.predecessor = predecessor
        self.leftovers = leftovers
        self.superseded = superseded
    }

    /// What is to be done next, as far as the shared state decides it.
    enum Job {
        case pipeline(CommitPipeline.Work)
        case demands(Log.Demands)
        case close
        case abandon
    }

    /// The life of the thread: until the store is closed or dropped.
    mutating func run() {
        while true {
            switch nextJob() {
            case .pipeline(let work): attempt { (writer) throws(Failure) in try writer.perform(work) }
            case .demands(let demands): meet(demands)
            case .close:
                close()
                return
            case .abandon:
                end(nil)
                return
            }
        }
    }

    /// A system call of the write path failed, on blocks that were allocated: what is on disk is unknown.
    struct Failure: Error {
        let cause: FileSystemError
        let doing: String
    }

    private mutating func attempt(_ body: (inout LogWriter) throws(Failure) -> Void) {
        do throws(Failure) { try body(&self) } catch { fail(error) }
    }

    /// Sleeps until there is something to do.
    private mutating func nextJob() -> Job {
        let probe = nextProbe
        let refused = refusedDemands
        return log.state.withLock { held in
            while true {
                held.state.writerSleepsUntil = nil
                switch held.state.phase {
                case .closing: return .close
                case .abandoned, .ended: return .abandon
                case .running: break
                }
                var until: UInt64 = .max
                if held.state.failure == nil {
                    if !held.state.demands.isEmpty {
                        defer { held.state.demands = Log.Demands() }
                        return .demands(held.state.demands)
                    }
                    let now = log.delays.now()
                    if let probe {
                        if probe <= now { return .demands(refused) }
                        until = probe
                    }
                    switch held.state.pipeline.work(now: now) {
                    case .sleep(let deadline): until = min(until, deadline ?? .max)
                    case let work: return .pipeline(work)
                    }
                    held.state.writerSleepsUntil = until
                    held.wait(timeoutNanoseconds: log.delays.timeout(until: until, now: now))
                } else {
                    held.state.writerSleepsUntil = .max
                    held.wait()
                }
            }
        }
    }

    private mutating func perform(_ work: CommitPipeline.Work) throws(Failure) {
        switch work {
        case .commit(let sync):
            try commit(seal(), sync: sync)
            prepare()
            giveWayToCompaction()
        case .sync:
            try syncWritten()
        case .mark:
            try writeMark(flags: .mark)
        case .sleep:
            break
        }
    }

    private mutating func giveWayToCompaction() {
        let written = log.state.withState { $0.counters.writtenBytes }
        let pause = log.compactionPause(
            written: written - lastCommit.writtenBytes, elapsed: log.delays.now() &- lastCommit.time)
        if pause > 0 { pauseThread(nanoseconds: Int(pause)) }
        lastCommit = (written, log.delays.now())
    }

    // MARK: - Commits

    /// A sealed commit.
    struct Sealed {
        let buffer: CommitBuffer
        let content: CommitPipeline.Content
    }

    /// Takes the open commit and puts the other buffer in its place, behind it in the same segment.
    mutating func seal() -> Sealed {
        let (sealed, waiters) = log.state.withState { state in
            let end = state.open.offset + UInt64(state.open.count)
            let sealed = state.seal(next: state.current, at: end, wanted: log.configuration.commitBufferBytes)
            return (sealed, state.takeWaiters())
        }
        resume(waiters)
        return sealed
    }

    /// Writes a sealed commit, syncs it if asked, and lets everybody see it and go on.
    mutating func commit(_ sealed: Sealed, sync: Bool) throws(Failure) {
        let buffer = sealed.buffer
        let segment = buffer.segment!
        let time = log.now.milliseconds
        buffer.finish(
            CommitHeader(
                bodyLength: UInt64(buffer.bodyLength), firstSequence: sealed.content.first, syncedMark: syncedEnd,
                time: time, recordCount: UInt32(buffer.recordCount)))
        try failing("the log could not be written", segment) { () throws(FileSystemError) in
            try buffer.forEachPiece { (piece, offset) throws(FileSystemError) in
                try segment.file.writeFully(piece, at: offset)
            }
        }
        log.noteTime(time)
        noteWritten(segment, to: buffer.offset + UInt64(buffer.count))
        let needsSync = sync || sealed.content.firstSynced != nil
        isSyncing = needsSync
        if needsSync {
            if sealed.content.firstWritten != nil {
                publish(
                    log.state.withState { state in
                        state.pipeline.written()
                        return state.pipeline.visiblePoint
                    })
            }
            try syncFile(of: segment)
            syncedEnd = writtenEnd
        }
        finish(sealed, synced: needsSync)
    }

    /// The segment is in the kernel up to this offset: readers find what lies before it in the file.
    private mutating func noteWritten(_ segment: Segment, to end: UInt64) {
        writtenEnd = end
        log.unwrittenFrom.store(segment.baseAddress + end >> 3, ordering: .releasing)
    }

    private mutating func finish(_ sealed: Sealed, synced: Bool) {
        let now = log.delays.now()
        var isCompactionDue = false
        let (visible, onDisk) = log.state.withState { state in
            state.counters.commits += 1
            state.counters.writtenBytes += UInt64(sealed.buffer.count)
            state.pipeline.written()
            if synced {
                state.counters.syncs += 1
                state.pipeline.synced(now: now)
            } else {
                state.pipeline.finishWithoutSync()
            }
            state.inFlight = nil
            isCompactionDue = state.logBytes >= state.compactionTrigger
            sealed.buffer.reset(segment: nil, offset: 0, keeping: log.configuration.commitBufferBytes)
            state.idle = sealed.buffer
            return (state.pipeline.visiblePoint, state.pipeline.syncedSequence)
        }
        publish(visible)
        if synced { log.syncedGate.open(to: onDisk) }
        if isCompactionDue { log.askForCompaction() }
    }

    /// Syncs what was written without anybody waiting for it.
    mutating func syncWritten() throws(Failure) {
        try syncFile(of: log.state.withState { $0.current! })
        syncedEnd = writtenEnd
        noteSynced()
    }

    /// Syncs a segment: everything written to it is on disk then.
    func syncFile(of segment: Segment) throws(Failure) {
        try failing("the log could not be synced", segment) { () throws(FileSystemError) in
            try segment.file.sync(.data)
        }
    }

    /// Tells everybody that what was written is on disk.
    func noteSynced() {
        let now = log.delays.now()
        let onDisk = log.state.withState { state in
            state.counters.syncs += 1
            state.pipeline.synced(now: now)
            return state.pipeline.syncedSequence
        }
        log.syncedGate.open(to: onDisk)
    }

    /// Writes an empty commit at the next boundary, which says that everything before it is on disk, and syncs it.
    ///
    /// Its own page: however it is torn, no page that holds records is.
    mutating func writeMark(flags: CommitHeader.Flags) throws(Failure) {
        let placed = log.state.withState { state -> (segment: Segment, offset: UInt64, next: SequenceNumber)? in
            // Something came in the meantime: it will bring a mark of its own.
            guard state.pipeline.open == nil, let segment = state.current else { return nil }
            let offset = markBoundary(from: state.open.offset)
            state.open.move(to: offset + UInt64(FormatConstants.commitHeaderSize))
            state.counters.marks += 1
            return (segment, offset, state.pipeline.lastSequence + 1)
        }
        guard let (segment, offset, next) = placed else { return }
        let time = log.now.milliseconds
        let header = CommitHeader(
            flags: flags, bodyLength: 0, firstSequence: next, syncedMark: offset, time: time, recordCount: 0)
        let bytes = header.encoded(salt: segment.header.salt, offset: offset)
        try failing("a mark could not be written to the log", segment) { () throws(FileSystemError) in
            try lend(bytes) { (buffer) throws(FileSystemError) in try segment.file.writeFully(buffer, at: offset) }
            try segment.file.sync(.data)
        }
        noteWritten(segment, to: offset + UInt64(FormatConstants.commitHeaderSize))
        syncedEnd = writtenEnd
        log.state.withState { state in
            state.counters.writtenBytes += UInt64(bytes.count)
            state.counters.syncs += 1
            state.pipeline.marked()
        }
    }

    // MARK: - What the others learn

    private func publish(_ visible: HeldPoint) {
        log.index.publish(visible.address, visible.sequence)
        log.visibleGate.open(to: visible.sequence)
    }

    func resume(_ waiters: [UnsafeContinuation<StoreError?, Never>], with error: StoreError? = nil) {
        for waiter in waiters { waiter.resume(returning: error) }
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

    /// After a failed write or sync nothing more is acknowledged: what the disk holds is unknown, and a second sync
    /// would succeed without having written what the first one lost.
    func fail(_ failure: Failure) { log.fail(failure.cause, failure.doing) }
}

extension Log {
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
        let waiters = state.withState { state in
            state.failure = refused
            state.wantsCut = false
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume(returning: refused) }
        visibleGate.fail(unknown)
        syncedGate.fail(unknown)
        compaction.deliver(.failure(refused))
    }
}

extension Log.State {
    /// Seals the open commit and opens the next one at `offset` of `next`.
    mutating func seal(next: Segment?, at offset: UInt64, wanted: Int) -> LogWriter.Sealed {
        let content = pipeline.seal()
        let sealed = open
        let fresh = idle!
        idle = nil
        inFlight = sealed
        fresh.reset(segment: next, offset: offset, keeping: wanted)
        open = fresh
        return LogWriter.Sealed(buffer: sealed, content: content)
    }
}
