internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat
internal import Logging

/// Recovers a store from its files: loads the newest snapshot's keys, verifies every byte of the log after it in order,
/// builds the index, and judges the tail.
///
/// It can be interrupted anywhere, any number of times: it changes no byte of any file. It only writes the unproven
/// bytes of the newest segment again, unchanged.
struct Recovery {
    let directory: StoreDirectory
    let configuration: Store.Configuration
    let segments: SegmentTable
    private let index: VersionedIndex
    private var collector: RecordCollector
    private var report = RecoveryReport()
    private var progress = RecoveryProgress(bytes: 0, totalBytes: 0, records: 0)

    /// What the engine continues from.
    struct Outcome {
        var storeID: StoreID
        /// What the next segment names as its predecessor; nil if it is the store's first segment.
        var predecessor: FileHeader.Predecessor?
        /// The number of the next write, minus one.
        var lastSequence: SequenceNumber
        var newestTime: UInt64
        var report: RecoveryReport
        var files = RecoveredFiles()
        /// Covered files that are not kept. They are removed once the snapshot is known to be durable.
        var superseded: [String] = []
    }

    init(
        directory: StoreDirectory, configuration: Store.Configuration, index: VersionedIndex, segments: SegmentTable
    ) {
        self.directory = directory
        self.configuration = configuration
        self.segments = segments
        self.index = index
        collector = RecordCollector(index)
    }

    /// Reads everything. O(bytes of log).
    mutating func run() throws(StoreError) -> Outcome {
        let clock = ContinuousClock()
        let start = clock.now
        let choice = try openFiles()
        let files = choice.logs
        guard let newest = files.last else {
            return Outcome(
                storeID: newStoreID(), predecessor: nil, lastSequence: 0, newestTime: 0, report: report)
        }
        var newestTime: UInt64 = 0
        if let snapshot = choice.snapshot {
            try load(snapshot)
            newestTime = snapshot.header.creationTime
        }
        for file in files.dropLast() {
            let end = try replay(file)
            newestTime = max(newestTime, end.lastTime)
            noteLast(end, file)
        }
        let end = try replay(newest)
        collector.finish()
        newestTime = max(newestTime, end.lastTime)
        noteLast(end, newest)
        configuration.recoveryProgress?(progress)
        report.segments = files.count
        report.duration = clock.now - start
        let holdsNothing = end.nextSequence == newest.header.firstSequence
        // This also skips the first number of a segment without records: a reader may have seen that number, and the
        // next segment would get the same name.
        let lastSequence =
            report.tail == .closed && !holdsNothing ? end.nextSequence - 1 : nextEpoch(after: end.nextSequence) - 1
        // Otherwise the next segment would get a name that no opening accepts.
        guard lastSequence < FormatConstants.sequences.upperBound - FormatConstants.sequenceEpoch else {
            throw .corruption(
                "the numbers of the log are greater than those that a store assigns, so no store wrote it",
                file: newest.file.path, offset: 0)
        }
        return Outcome(
            storeID: newest.header.storeID,
            predecessor: FileHeader.Predecessor(
                salt: newest.header.salt, lastSequence: end.nextSequence - 1, endOffset: end.position),
            lastSequence: lastSequence,
            newestTime: newestTime,
            report: report,
            files: found(choice),
            superseded: superseded(choice))
    }

    /// The first number of a segment without records was never recovered.
    private mutating func noteLast(_ end: End, _ file: OpenedLog) {
        if end.nextSequence > file.header.firstSequence { report.lastSequence = end.nextSequence - 1 }
    }

    /// After a crash, numbering continues at the next multiple of 2^32: readers may have seen the numbers in between,
    /// with the writes that are lost.
    private func nextEpoch(after sequence: SequenceNumber) -> SequenceNumber {
        (sequence / FormatConstants.sequenceEpoch + 1) * FormatConstants.sequenceEpoch
    }

    private func newStoreID() -> StoreID {
        StoreID(low: configuration.fileSystem.randomUInt64(), high: configuration.fileSystem.randomUInt64())
    }

    // MARK: - Files

    /// Opens the files and determines which of them are the store.
    private mutating func openFiles() throws(StoreError) -> ChosenFiles {
        let choice = try ChosenFiles(directory, in: configuration.fileSystem)
        for log in choice.logs { progress.totalBytes += log.file.size }
        if let snapshot = choice.snapshot { progress.totalBytes += snapshot.size - snapshot.footer.keySectionOffset }
        report.skippedFiles = choice.skippedFiles
        for path in choice.skippedFiles {
            configuration.logger?.info(
                "a snapshot is damaged; nothing is lost, as the log that it covers is still there",
                metadata: ["file": "\(path)"])
        }
        return choice
    }

    /// Builds the index from a snapshot's keys.
    private mutating func load(_ snapshot: SnapshotFile) throws(StoreError) {
        // Addresses are added as keys are read: a count in a footer must not decide how much memory is reserved.
        let segment = segments.add(snapshot.header, file: snapshot.file, path: snapshot.path, bytes: 0)
        segments.seal(segment)
        let bytes = snapshot.size - snapshot.footer.keySectionOffset
        let total = snapshot.footer.recordCount
        var progress = progress
        let tell = configuration.recoveryProgress
        try SnapshotLoader(snapshot: snapshot, segment: segment, segments: segments, index: index) { keys in
            progress.records += UInt64(keys)
            progress.bytes = UInt64(Double(bytes) * min(1, Double(progress.records) / Double(total)))
            tell?(progress)
        }.load()
        self.progress.bytes = bytes
        self.progress.records = total
        report.snapshot = SnapshotDescription(snapshot)
        report.lastSequence = snapshot.end.lastSequence
    }

    /// The files that compaction continues from.
    private func found(_ choice: ChosenFiles) -> RecoveredFiles {
        let kept = configuration.logRetention == .none ? [] : choice.covered
        return RecoveredFiles(
            logBytes: report.bytes, logRecords: report.records,
            snapshot: choice.snapshot.map { SnapshotDescription($0) },
            retained: kept, damaged: choice.skippedFiles)
    }

    private func superseded(_ choice: ChosenFiles) -> [String] {
        choice.older + (configuration.logRetention == .none ? choice.covered.map(\.path) : [])
    }

    // MARK: - Replay

    /// Where the reading of a segment ended.
    private struct End {
        var position: UInt64
        var nextSequence: SequenceNumber
        var lastTime: UInt64
    }

    private mutating func replay(_ opened: OpenedLog) throws(StoreError) -> End {
        let judged: Result<End, StoreError>
        do throws(FileSystemError) {
            judged = try readThrough(opened)
        } catch {
            // A read error is never taken for the end of the log.
            throw StoreError(error, "a log segment could not be read")
        }
        return try judged.get()
    }

    private mutating func readThrough(_ opened: OpenedLog) throws(FileSystemError) -> Result<End, StoreError> {
        var scanner = SegmentScanner(
            source: try FileWindow(opened.file.file), header: opened.header,
            recordedEnd: opened.successor?.endOffset)
        let segment = segments.add(opened.header, file: opened.file.file, path: opened.file.path, bytes: 0)
        segments.seal(segment)
        var commit = ScannedCommit()
        while true {
            switch try scanner.next(into: &commit) {
            case .commit:
                // Addresses are added as commits are read: the size of a file must not decide how much memory is
                // reserved.
                segments.extend(segment, to: commit.end)
                apply(commit, of: segment)
            case .stop(let stop): return try judge(stop, &scanner, opened)
            }
        }
    }

    private mutating func apply(_ commit: ScannedCommit, of segment: Segment) {
        commit.forEachVersion(base: segment.baseAddress) { collector.add($0, $1) }
        report.records += UInt64(commit.records.count)
        report.batches += commit.batchCount
        report.commits += commit.records.isEmpty ? 0 : 1
        report.bytes += commit.end - commit.offset
        tellProgress(commit.end - commit.offset, records: commit.records.count)
    }

    private mutating func tellProgress(_ bytes: UInt64, records: Int) {
        let step: UInt64 = 4 << 20
        let before = progress.bytes / step
        progress.bytes += bytes
        progress.records += UInt64(records)
        if progress.bytes / step != before { configuration.recoveryProgress?(progress) }
    }

    // MARK: - The tail

    private mutating func judge(
        _ stop: TailVerdict.Stop, _ scanner: inout SegmentScanner<FileWindow>, _ opened: OpenedLog
    ) throws(FileSystemError) -> Result<End, StoreError> {
        let path = opened.file.path
        if case .damage(.unsupported(let what)) = stop.reason {
            return .failure(.unsupported(.unsupported(what), file: path, offset: stop.damageOffset))
        }
        let proof: TailVerdict.Proof?
        if let successor = opened.successor {
            proof = .successor(end: successor.endOffset, lastSequence: successor.lastSequence)
        } else if case .damage = stop.reason {
            proof = try scanner.proofOfDurability(beyond: stop.offset)
        } else {
            proof = nil
        }
        let end = End(position: stop.offset, nextSequence: scanner.nextSequence, lastTime: scanner.lastTime)
        switch TailVerdict.decide(stop: stop, isClosed: scanner.isClosed, proof: proof) {
        case .intact:
            guard end.nextSequence == opened.successor!.lastSequence &+ 1 else { return .failure(try damage(opened)) }
        case .corrupt:
            return .failure(try damage(opened))
        case .clean:
            report.tail = .closed
            // The closing mark may be one of those bytes. The next segment will record that this one ends after it.
            try rewrite(opened.file, from: scanner.provenEnd, to: stop.offset)
        case .unclosed:
            report.tail = .unclosed
            try rewrite(opened.file, from: scanner.provenEnd, to: stop.offset)
        case .torn:
            let bytes = try scanner.source.contentEnd(of: stop.offset..<scanner.source.count) - stop.offset
            report.tail = .torn(file: path, offset: stop.offset, bytes: bytes)
            if configuration.strictRecovery { return .failure(strictRefusal(stop, path: path, bytes: bytes)) }
            configuration.logger?.info(
                "the log has a torn tail, as after a crash; it was never acknowledged as durable and is skipped",
                metadata: ["file": "\(path)", "offset": "\(stop.offset)", "bytes": "\(bytes)"])
            try rewrite(opened.file, from: scanner.provenEnd, to: stop.offset)
        }
        return .success(end)
    }

    /// What is wrong with a log, and which sequence numbers are lost. Judged like an inspection, which also reads after
    /// damage. O(bytes of the file).
    private func damage(_ opened: OpenedLog) throws(FileSystemError) -> StoreError {
        var walk = try LogWalk(opened.file, header: opened.header, successor: opened.successor)
        let path = opened.file.path
        while true {
            switch try walk.next() {
            case .commit: continue
            case .damage(let damage):
                guard let proof = damage.proof else { return changed(path, damage.offset) }
                return StoreError(Finding(damage, proof, of: path, successor: opened.successor))
            case .end(let end):
                guard let successor = opened.successor else { return changed(path, end.offset) }
                let isShort = end.reason != .recorded
                return StoreError(isShort ? .cutShort(path, end, successor) : .otherNumbers(path, end, successor))
            }
        }
    }

    /// The bytes that proved the damage are no longer in the file.
    private func changed(_ path: String, _ offset: UInt64) -> StoreError {
        .corruption("a log segment changed while it was read", file: path, offset: offset)
    }

    private func strictRefusal(_ stop: TailVerdict.Stop, path: String, bytes: UInt64) -> StoreError {
        StoreError(
            .tornTail,
            "the log has a torn tail of \(bytes) bytes, as after a crash, and strictRecovery refuses it: "
                + "open without it to pass the tail over",
            file: path, offset: stop.offset)
    }

    /// Writes bytes that no sync mark proves again, unchanged and in place, and syncs them. Skips holes, which have no
    /// bytes to lose.
    ///
    /// If a sync failed in an earlier process, the page cache may have clean pages that never reached the disk. Reading
    /// them proves nothing, and a new sync alone would not write them.
    private func rewrite(_ segment: DataFile, from start: UInt64, to end: UInt64) throws(FileSystemError) {
        var at = start
        var bytes = [UInt8](repeating: 0, count: Int(min(1 << 20, end - start)))
        while at < end, let data = try segment.file.nextData(from: at), data.lowerBound < end {
            at = max(at, data.lowerBound)
            let piece = Int(min(UInt64(bytes.count), min(data.upperBound, end) - at))
            try bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(FileSystemError) in
                    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<piece])
                    let read = try segment.file.readFully(into: part, at: at)
                    try segment.file.writeFully(UnsafeRawBufferPointer(rebasing: part[..<read]), at: at)
                }
            }.get()
            at += UInt64(piece)
        }
        try segment.file.sync(.full)
        try configuration.fileSystem.syncDirectory(directory.path)
    }
}
