internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// One compaction, from the cut to the files that it has replaced.
extension Compactor {
    mutating func compact() throws(StoreError) -> CompactionReport {
        guard hasSomethingToDo else { return nothingDone }
        let cut = try log.makeCut(isSparing: try checkSpace())
        // By this time expiry is judged, now and whenever the snapshot is opened.
        let now = log.now
        log.noteTime(now.milliseconds)
        var hold: Hold? = Hold(log, adopting: cut.point, now: now)
        guard let end = cut.end, end.lastSequence > 0, let storeID = cut.covered.last?.header.storeID,
            cut.covered.contains(where: { $0.header.kind == .log }) || log.index.hasExpired(at: now.milliseconds)
        else { return nothingDone }
        let header = FileHeader(
            kind: .snapshot, storeID: storeID, salt: fileSystem.randomSalt(), firstSequence: 1, predecessor: end,
            creationTime: now.milliseconds)
        let making = SnapshotMaking(log: log)
        try making.write(header, hold!)
        // What was overwritten meanwhile needn't be kept any longer; dropping it isn't left to those who write.
        hold = nil
        log.index.prune { log.compactionGivesWay }
        let snapshot = try making.verify(end.lastSequence)
        let path = log.directory + "/" + StoreFileName.snapshot(end.lastSequence)
        try putInPlace(making, path)
        let segment = log.segments.add(header, file: snapshot.file, path: path, bytes: snapshot.size)
        if log.configuration.valueReading == .mapped { segment.allowMapping() }
        log.withState { $0.uncovered.compacted(bytes: cut.bytes, records: cut.records) }
        var report = CompactionReport()
        report.snapshot = SnapshotDescription(snapshot)
        report.snapshot!.file = path
        control.state.withState { [report] in
            $0.statistics.snapshot = report.snapshot
            $0.statistics.writtenBytes += snapshot.size
        }
        newest = (snapshot, segment)
        let waiting = Set(retirements.flatMap(\.covered).map(ObjectIdentifier.init))
        let covered = cut.covered.filter { !waiting.contains(ObjectIdentifier($0)) }
        for covered in covered { report.replacedBytes += (try? covered.file.size()) ?? 0 }
        retirements.append(Retirement(point: cut.point.address, time: now.milliseconds, covered: covered))
        try move()
        report.removedFiles = retire()
        report.heldFiles = heldFiles
        return report
    }

    private var nothingDone: CompactionReport {
        var report = CompactionReport()
        report.snapshot = control.state.withState { $0.statistics.snapshot }
        return report
    }

    /// Whether there is anything that isn't in a snapshot, or has expired in one. Segments without records are some reason
    /// only where there are many.
    private var hasSomethingToDo: Bool {
        let records = log.withState { $0.logRecords }
        return records > 0 || log.segments.count > 8 || log.index.hasExpired(at: log.now.milliseconds)
    }

    /// A compaction that can't fit isn't begun.
    ///
    /// - Returns: Whether the snapshot may need all that the disk has left.
    private func checkSpace() throws(StoreError) -> Bool {
        guard let left = fileSystem.availableBytes(at: log.directory) else { return false }
        let available = left + Reserve.Piece.snapshot.bytes
        let index = log.index.statistics
        // For large values up to a sixteenth too many; and what has expired isn't written at all.
        let records = index.liveBytes - index.liveBytes / 16
        if available < records, !log.index.hasExpired(at: log.now.milliseconds) {
            throw StoreError(
                .outOfSpace,
                "compaction writes \(records) bytes or more, and the disk has \(left): free some space, or remove keys",
                file: log.directory)
        }
        // With the keys once more, and a log segment for those who write meanwhile.
        return available < index.liveBytes + UInt64(index.bytes) + UInt64(log.configuration.segmentBytes)
    }

    /// Gives the snapshot its name. From here on it counts, whatever happens.
    private func putInPlace(_ making: SnapshotMaking, _ path: String) throws(StoreError) {
        do throws(FileSystemError) {
            try fileSystem.rename(making.path, to: path)
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

    // MARK: - Moving

    /// Tells the index where records lie now: in the newest snapshot.
    mutating func move() throws(StoreError) {
        guard let (snapshot, segment) = newest, let point = retirements.last?.point else { return }
        log.index.prune { log.compactionGivesWay }
        var section = try KeySection(snapshot)
        let batch = KeyBatch()
        let base = segment.baseAddress
        let total = Int(snapshot.footer.recordCount)
        var kept: UInt64?
        var keys = 0
        var pace = MovingPace()
        while true {
            batch.removeAll()
            guard try section.next(batch) else { break }
            let lowest = log.index.move(batch.count, ifUpTo: point, pace: &pace, givingWay: log.compactionGivesWay) {
                number in
                let entry = batch.entry(number)
                return (batch.key(number), Place(address: base + entry.offset >> 3, length: entry.length))
            }
            if let lowest { kept = min(kept ?? .max, lowest) }
            keys += batch.count
            control.report(
                CompactionProgress(phase: .moving, keys: keys, totalKeys: total, writtenBytes: snapshot.size))
            if control.state.withState({ $0.isStopping }) { throw .closed }
        }
        let last = log.index.newest
        for index in retirements.indices {
            retirements[index].plan.moved(lowestKept: kept, upTo: retirements[index].point, newest: last)
        }
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
