internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// One compaction, from the compaction boundary to the removal of the replaced files.
extension Compactor {
    mutating func compact() throws(StoreError) -> CompactionReport {
        guard hasSomethingToDo else { return nothingDone }
        let boundary = try log.makeBoundary(isSparing: try checkSpace())
        // Expiry is judged by this time, now and whenever the snapshot is opened.
        let now = image.now
        var pin: ReadPin? = ReadPin(image, adopting: boundary.point, now: now)
        guard let end = boundary.end, end.lastSequence > 0, let storeID = boundary.covered.last?.header.storeID,
            boundary.covered.contains(where: { $0.header.kind == .log }) || image.index.hasExpired(at: now.milliseconds)
        else { return nothingDone }
        let header = FileHeader(
            kind: .snapshot, storeID: storeID, salt: fileSystem.randomSalt(), firstSequence: 1, predecessor: end,
            creationTime: now.milliseconds)
        let making = SnapshotMaking(image: image, control: control)
        try making.write(header, pin!)
        // Versions that were overwritten during the compaction are no longer needed. Writers shouldn't have to free
        // them.
        pin = nil
        image.index.prune { log.compactionGivesWay }
        let snapshot = try making.verify(end.lastSequence)
        let path = image.directory + "/" + StoreFileName.snapshot(end.lastSequence)
        try putInPlace(making, path)
        let segment = image.segments.add(header, file: snapshot.file, path: path, bytes: snapshot.size)
        image.segments.seal(segment)
        var description = SnapshotDescription(snapshot)
        description.file = path
        log.withState {
            $0.uncovered.compacted(bytes: boundary.bytes, records: boundary.records, into: description)
        }
        var report = CompactionReport()
        report.snapshot = description
        control.state.withState { [report] in
            $0.statistics.snapshot = report.snapshot
            $0.statistics.writtenBytes += snapshot.size
        }
        newest = (snapshot, segment)
        let waiting = Set(retirements.flatMap(\.covered).map(ObjectIdentifier.init))
        let covered = boundary.covered.filter { !waiting.contains(ObjectIdentifier($0)) }
        for covered in covered { report.replacedBytes += (try? covered.file.size()) ?? 0 }
        retirements.append(Retirement(point: boundary.point.address, time: now.milliseconds, covered: covered))
        try move()
        report.removedFiles = retire()
        report.pinnedFiles = pinnedFiles
        return report
    }

    private var nothingDone: CompactionReport {
        var report = CompactionReport()
        report.snapshot = control.state.withState { $0.statistics.snapshot }
        return report
    }

    /// Whether there are records that no snapshot contains, or records of a snapshot that have expired. Segments
    /// without records count only if there are many.
    private var hasSomethingToDo: Bool {
        let records = log.withState { $0.logRecords }
        return records > 0 || image.segments.count > 8 || image.index.hasExpired(at: image.now.milliseconds)
    }

    /// Refuses a compaction that can't fit on the disk.
    ///
    /// - Returns: Whether the snapshot may need all the free space of the disk.
    private func checkSpace() throws(StoreError) -> Bool {
        guard let left = fileSystem.availableBytes(at: image.directory) else { return false }
        let available = left + Reserve.Piece.snapshot.bytes
        let index = image.index.statistics
        // `liveBytes` may be up to a sixteenth too high for large values. Expired records aren't written.
        let records = index.liveBytes - index.liveBytes / 16
        if available < records, !image.index.hasExpired(at: image.now.milliseconds) {
            throw StoreError(
                .outOfSpace,
                "compaction writes \(records) bytes or more, and the disk has \(left): free some space, or remove keys",
                file: image.directory)
        }
        // The snapshot also contains the keys a second time, and concurrent writers need a log segment.
        return available < index.liveBytes + UInt64(index.bytes) + UInt64(log.configuration.segmentBytes)
    }

    /// Gives the snapshot its final name. After this it is valid, whatever fails later.
    private func putInPlace(_ making: SnapshotMaking, _ path: String) throws(StoreError) {
        do throws(FileSystemError) {
            try fileSystem.rename(making.path, to: path)
        } catch {
            throw StoreError(error, "the snapshot could not be given its name")
        }
        do throws(FileSystemError) {
            try fileSystem.syncDirectory(image.directory)
        } catch {
            // Other changes of the directory may also be lost, so the log must fail.
            log.fail(error, "the store's directory could not be synced")
            throw StoreError(error, "the store's directory could not be synced")
        }
    }

    // MARK: - Moving

    /// Updates the index: records are now read from the newest snapshot.
    mutating func move() throws(StoreError) {
        guard let (snapshot, segment) = newest, let point = retirements.last?.point else { return }
        image.index.prune { log.compactionGivesWay }
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
            let lowest = image.index.move(batch.count, ifUpTo: point, pace: &pace, givingWay: log.compactionGivesWay) {
                number in
                let entry = batch.entry(number)
                return (batch.key(number), RecordLocation(address: base + entry.offset >> 3, length: entry.length))
            }
            if let lowest { kept = min(kept ?? .max, lowest) }
            keys += batch.count
            control.report(
                CompactionProgress(phase: .moving, keys: keys, totalKeys: total, writtenBytes: snapshot.size))
            if control.state.withState({ $0.isStopping }) { throw .closed }
        }
        let last = image.index.newest
        for index in retirements.indices {
            retirements[index].plan.moved(lowestKept: kept, upTo: retirements[index].point, newest: last)
        }
    }
}
