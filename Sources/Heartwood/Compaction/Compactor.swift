internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Logging

/// The thread that compacts: it waits until it is asked, or until the log is large enough, makes a snapshot, tells the
/// index where records lie now, and lets go of the files that the snapshot replaces when nobody reads them any more.
///
/// Its own fields belong to its thread alone.
struct Compactor {
    let log: Log
    /// What the newest snapshot of this opening has replaced, while it is still there.
    private var retirement: Retirement?
    /// Files that could not be removed; they are tried again.
    private var unremoved: [String] = []

    private var control: CompactionControl { log.compaction }
    private var fileSystem: any FileSystem { log.configuration.fileSystem }

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
    }

    /// Sleeps until there is something to do; nil at the end.
    private mutating func nextWork() -> Work? {
        while true {
            let facts = log.compactionFacts
            let now = log.delays.now()
            var until: UInt64 = retirement == nil ? .max : now &+ Self.poll
            var trigger: UInt64 = .max
            let hasRetirement = retirement != nil
            enum Step { case end, work(Work), sleep }
            let step = control.state.withLock { held -> Step in
                if held.state.isStopping { return .end }
                held.state.isAsleep = false
                if !held.state.waiting.isEmpty { return .work(.compact) }
                if facts.logBytes > 0 { held.state.schedule.noteDirty(now: now) }
                switch held.state.schedule.decide(facts, now: now) {
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
            case .end:
                letGo()
                return nil
            case .work(let work): return work
            case .sleep: break
            }
            let isReached = log.state.withState { state in
                state.compactionTrigger = trigger
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

    /// The store is closed: the next opening removes what is left.
    private mutating func letGo() {
        control.state.withLock { held in
            held.state.hasThread = false
            held.broadcast()
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
            removeUnfinished()
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
        let continuations = control.state.withState { state in
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
                state.statistics.last = report
                state.statistics.failure = nil
            case .failure(let error) where error.code == .cancelled || error.code == .closed: break
            case .failure(let error):
                state.schedule.failed(now: now)
                state.statistics.failed += 1
                state.statistics.failure = "\(error)"
            }
            defer { state.served = [] }
            return state.served.map(\.continuation)
        }
        if isAutomatic, case .failure(let error) = outcome, error.code != .closed, error.code != .cancelled {
            log.configuration.logger?.error(
                "compaction failed; nothing was dropped, and it is tried again later",
                metadata: ["store": "\(log.directory)", "error": "\(error)"])
        }
        for continuation in continuations { continuation.resume(returning: outcome) }
    }

    private mutating func compact() throws(StoreError) -> CompactionReport {
        try checkSpace()
        let cut = try log.makeCut()
        // By this time expiry is judged, now and whenever the snapshot is opened.
        let now = log.now
        log.noteTime(now.milliseconds)
        var hold: Hold? = Hold(log, adopting: cut.point, now: now)
        var report = CompactionReport()
        guard let end = cut.end, end.lastSequence > 0, let storeID = cut.covered.last?.header.storeID,
            cut.covered.contains(where: { $0.header.kind == .log }) || log.index.hasExpired(at: now.milliseconds)
        else {
            report.snapshot = control.state.withState { $0.statistics.snapshot }
            return report
        }
        let header = FileHeader(
            kind: .snapshot, storeID: storeID, salt: fileSystem.randomSalt(), firstSequence: 1, predecessor: end,
            creationTime: now.milliseconds)
        try write(header, hold!)
        // What was overwritten meanwhile needn't be kept any longer.
        hold = nil
        let snapshot = try verify(end.lastSequence)
        let path = log.directory + "/" + StoreFileName.snapshot(end.lastSequence)
        try putInPlace(path)
        let segment = log.segments.add(header, file: snapshot.file, path: path, bytes: snapshot.size)
        if log.configuration.valueReading == .mapped { segment.allowMapping() }
        log.state.withState { state in
            state.compactedBytes = cut.bytes
            state.recoveredBytes = 0
        }
        report.snapshot = snapshot.description
        report.snapshot!.file = path
        control.state.withState { [report] in
            $0.statistics.snapshot = report.snapshot
            $0.statistics.writtenBytes += snapshot.size
        }
        for covered in cut.covered { report.replacedBytes += (try? covered.file.size()) ?? 0 }
        retirement = Retirement(
            snapshot: snapshot, segment: segment, point: cut.point.address, time: now.milliseconds,
            covered: cut.covered)
        try move()
        let removed = retire()
        report.removedFiles = removed
        report.heldFiles = retirement?.covered.count ?? 0
        return report
    }

    /// A compaction that can't fit isn't begun.
    private func checkSpace() throws(StoreError) {
        guard let available = fileSystem.availableBytes(at: log.directory) else { return }
        let index = log.index.statistics
        // The records, the keys once more, and a log segment for those who write meanwhile.
        let snapshot = index.liveBytes + UInt64(index.bytes)
        let needed = snapshot + UInt64(log.configuration.segmentBytes)
        guard available < needed else { return }
        throw StoreError(
            .outOfSpace,
            "compaction takes up to \(snapshot) bytes and leaves \(log.configuration.segmentBytes) for the log, and there are \(available): free some space",
            file: log.directory)
    }

    private var temporaryPath: String { log.directory + "/" + StoreFileName.newSnapshotName }

    private func write(_ header: FileHeader, _ hold: Hold) throws(StoreError) {
        let (control, total) = (control, log.index.statistics.keys)
        let file: any File
        do throws(FileSystemError) {
            file = try fileSystem.openFile(temporaryPath, for: .create)
        } catch {
            throw StoreError(error, "the snapshot could not be written")
        }
        var writer = SnapshotWriter(hold, file, header) {
            control.isCancelled
        } report: { keys, bytes in
            control.report(CompactionProgress(phase: .writing, keys: keys, totalKeys: total, writtenBytes: bytes))
        }
        do throws(StoreError) {
            try writer.write()
        } catch {
            try? file.close()
            throw error
        }
        do throws(FileSystemError) {
            try file.sync(.full)
            file.forgetCache()
            try file.close()
        } catch {
            throw StoreError(error, "the snapshot could not be brought to the disk")
        }
    }

    private func verify(_ sequence: SequenceNumber) throws(StoreError) -> SnapshotFile {
        let snapshot = try SnapshotFile(temporaryPath, sequence: sequence, in: fileSystem)
        var check = try SnapshotCheck(snapshot)
        let total = Int(snapshot.footer.recordCount)
        let isWhole = try check.run { keys in
            control.report(
                CompactionProgress(phase: .verifying, keys: keys, totalKeys: total, writtenBytes: snapshot.size))
            return !control.isCancelled
        }
        if !isWhole { throw .compactionCancelled }
        return snapshot
    }

    /// Gives the snapshot its name. From here on it counts, whatever happens.
    private func putInPlace(_ path: String) throws(StoreError) {
        do throws(FileSystemError) {
            try fileSystem.rename(temporaryPath, to: path)
        } catch {
            throw StoreError(error, "the snapshot could not be given its name")
        }
        do throws(FileSystemError) {
            try fileSystem.syncDirectory(log.directory)
        } catch {
            // What else of the directory was lost by it, nobody can tell.
            log.fail(error, "the store's directory could not be synced")
            throw StoreError(error, "the store's directory could not be synced")
        }
    }

    private func removeUnfinished() {
        try? fileSystem.remove(temporaryPath)
    }

    // MARK: - Moving

    /// Tells the index where records lie now.
    private mutating func move() throws(StoreError) {
        log.index.prune()
        var section = try KeySection(retirement!.snapshot)
        let batch = KeyBatch()
        let base = retirement!.segment.baseAddress
        let total = Int(retirement!.snapshot.footer.recordCount)
        var kept = 0
        var keys = 0
        while true {
            batch.removeAll()
            guard try section.next(batch) else { break }
            kept += log.index.move(batch.count, ifUpTo: retirement!.point) { number in
                let entry = batch.entry(number)
                return (batch.key(number), Place(address: base + entry.offset >> 3, length: entry.length))
            }
            keys += batch.count
            control.report(
                CompactionProgress(
                    phase: .moving, keys: keys, totalKeys: total, writtenBytes: retirement!.snapshot.size))
            if control.state.withState({ $0.isStopping }) { throw .closed }
        }
        retirement!.plan.moved(kept: kept, newest: log.index.newest)
    }

    // MARK: - Letting go

    /// Lets go of the files that were replaced, if nobody can be reading them any more.
    ///
    /// - Returns: How many files were removed.
    @discardableResult
    private mutating func retire() -> Int {
        var removed = 0
        loop: while let retirement {
            switch retirement.plan.next(visible: log.index.visible, isOver: log.index.isOver) {
            case .wait: break loop
            case .endEra: self.retirement!.plan.ended(log.index.endEra())
            case .move: do throws(StoreError) { try move() } catch { break loop }
            case .drop:
                guard dropExpired(retirement), waitForReaders() else { break loop }
                removed = drop(retirement)
                self.retirement = nil
            }
        }
        let held = retirement?.covered.count ?? 0
        control.state.withState { $0.heldFiles = held }
        return removed
    }

    private func waitForReaders() -> Bool { log.index.waitForReaders { control.state.withState { $0.isStopping } } }

    /// What had expired isn't in the snapshot, and all who saw it are gone.
    private func dropExpired(_ retirement: Retirement) -> Bool {
        log.index.prune()
        var last: [UInt8]?
        var kept = 0
        repeat {
            let (keys, resume) = log.index.expiredKeys(after: last, at: retirement.time, limit: 8_192)
            kept += log.index.dropExpired(keys, at: retirement.time, ifUpTo: retirement.point)
            last = resume
        } while last != nil
        return kept == 0
    }

    /// Closes and removes files, oldest first, but for the logs that are to be kept.
    private mutating func drop(_ retirement: Retirement) -> Int {
        log.segments.retire(retirement.covered)
        var removed = 0
        for path in unremoved where path != retirement.segment.path && remove(path) { removed += 1 }
        for segment in retirement.covered {
            let bytes = (try? segment.file.size()) ?? 0
            // Nothing was written to it that isn't on the disk.
            try? segment.file.close()
            if segment.header.kind == .log, log.configuration.logRetention != .none {
                control.retained.withLock { $0.append(RetainedLog(path: segment.path, bytes: bytes)) }
            } else if segment.path != retirement.segment.path, remove(segment.path) {
                removed += 1
            }
        }
        for path in LogRetention.exceeding(log.configuration.logRetention, control.retained) where remove(path) {
            removed += 1
        }
        return removed
    }

    private mutating func remove(_ path: String) -> Bool {
        unremoved.removeAll { $0 == path }
        do throws(FileSystemError) {
            try fileSystem.remove(path)
            return true
        } catch {
            if error.isNotFound { return true }
            unremoved.append(path)
            log.configuration.logger?.warning(
                "a file that a snapshot has replaced could not be removed", metadata: ["cause": "\(error)"])
            return false
        }
    }
}

/// Files that a snapshot has replaced, until nobody reads them any more.
struct Retirement {
    let snapshot: SnapshotFile
    let segment: Segment
    /// The address up to which the snapshot holds everything.
    let point: UInt64
    /// The time by which expiry was judged.
    let time: UInt64
    let covered: [Segment]
    var plan = RetirementPlan()
}

extension LogRetention {
    /// The paths of the oldest kept logs, as many as are too much; they are kept no longer.
    static func exceeding(_ retention: LogRetention, _ retained: Locked<[RetainedLog]>) -> [String] {
        retained.withLock { retained in
            var total: UInt64 = 0
            var first = retained.count
            while first > 0, retained[first - 1].bytes <= retention.bytes - min(retention.bytes, total) {
                total += retained[first - 1].bytes
                first -= 1
            }
            defer { retained.removeFirst(first) }
            return retained[..<first].map(\.path)
        }
    }
}

extension Log {
    /// What it is decided by whether compaction is due.
    var compactionFacts: CompactionSchedule.Facts {
        let live = index.statistics.liveBytes
        let held = compaction.state.withState { $0.heldFiles }
        let (logBytes, failed) = state.withState { ($0.logBytes, $0.failure != nil) }
        return CompactionSchedule.Facts(
            logBytes: failed ? 0 : logBytes, liveBytes: live, segments: max(0, segments.count - held))
    }
}

extension VersionedIndex {
    /// Whether a key has expired at a time. O(keys).
    func hasExpired(at time: UInt64) -> Bool {
        var last: [UInt8]?
        repeat {
            let (keys, resume) = expiredKeys(after: last, at: time, limit: 8_192)
            if !keys.isEmpty { return true }
            last = resume
        } while last != nil
        return false
    }
}

extension FileSystem {
    /// A random number that isn't 0.
    func randomSalt() -> UInt32 {
        while true {
            let salt = UInt32(truncatingIfNeeded: randomUInt64())
            if salt != 0 { return salt }
        }
    }
}
