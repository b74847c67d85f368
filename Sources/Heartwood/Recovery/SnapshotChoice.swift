internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Which files of a directory a store is made of: the newest snapshot that verifies, and the log behind it.
///
/// An older snapshot, or the log alone, serves in place of a damaged one only where nothing is missing: where an unbroken
/// chain of segments leads from it to the newest.
struct SnapshotChoice {
    /// nil: the log alone.
    var snapshot: SnapshotFile?
    /// The segments behind it.
    var logs: [SegmentFile]
    /// Segments that the snapshot covers, oldest first, closed.
    var covered: [SegmentFile] = []
    /// Older snapshots, which it covers too.
    var older: [String] = []
    /// Snapshots that are damaged and not needed.
    var passedOver: [String] = []

    /// - Parameter logs: All of them, in the order of their numbers.
    /// - Throws: `.corruption`, `.unsupportedFormat`, and what the system says.
    init(
        _ directory: StoreDirectory, logs: [SegmentFile], in fileSystem: any FileSystem
    ) throws(StoreError) {
        var refusal: StoreError?
        var passedOver: [String] = []
        let snapshots = directory.snapshots.reversed()
        for (number, name) in snapshots.enumerated() {
            let path = directory.path + "/" + name.name
            let snapshot: SnapshotFile
            do throws(StoreError) {
                // If nothing could serve in its place, damaged keys may as well be found when the index is half built.
                let mayFallBack = number + 1 < snapshots.count || logs.first?.header.predecessor == nil
                snapshot = try Self.open(path, name.sequence, verifyingKeys: mayFallBack, in: fileSystem)
            } catch {
                guard error.code == .corruption else { throw error }
                if refusal == nil { refusal = error }
                passedOver.append(path)
                continue
            }
            // It is sound, so where the log behind it doesn't fit, log is missing: nothing may serve in its place.
            do throws(StoreError) {
                self = try Self(snapshot, logs, refusal)
                try checkEnd(behind: snapshots.first?.sequence, refusal)
            } catch {
                try? snapshot.file.close()
                throw error
            }
            older = snapshots.dropFirst(number + 1).map { directory.path + "/" + $0.name }
            self.passedOver = passedOver
            return
        }
        // The log alone, if it is whole.
        do throws(StoreError) {
            try SegmentChain.check(logs, after: nil)
        } catch {
            throw refusal ?? error
        }
        self.init(snapshot: nil, logs: logs, passedOver: passedOver)
        try checkEnd(behind: snapshots.first?.sequence, refusal)
    }

    /// Of what serves in place of a damaged snapshot: whether it goes on behind it. The snapshot's name says that there
    /// was a segment behind that number.
    private func checkEnd(behind sequence: SequenceNumber?, _ refusal: StoreError?) throws(StoreError) {
        guard let refusal, let sequence else { return }
        if logs.last.map({ $0.header.firstSequence <= sequence }) ?? true { throw refusal }
    }

    private init(snapshot: SnapshotFile?, logs: [SegmentFile], passedOver: [String]) {
        self.snapshot = snapshot
        self.logs = logs
        self.passedOver = passedOver
    }

    /// - Parameter refusal: Why the newest snapshot doesn't serve, where this is an older one.
    private init(_ snapshot: SnapshotFile, _ all: [SegmentFile], _ refusal: StoreError?) throws(StoreError) {
        do throws(StoreError) {
            try SegmentChain.checkStoreID(all.map { ($0.path, $0.header) } + [(snapshot.path, snapshot.header)])
            let next = all.firstIndex { $0.header.predecessor == snapshot.end }
            guard let next else { throw Self.missing(behind: snapshot, all) }
            let logs = Array(all[next...])
            try SegmentChain.check(logs, after: snapshot.end)
            self.init(snapshot: snapshot, logs: logs, passedOver: [])
            covered = Array(all[..<next])
            for file in covered { try? file.file.close() }
        } catch {
            throw refusal ?? error
        }
    }

    /// A snapshot gets its name only once the segment behind it is there.
    private static func missing(behind snapshot: SnapshotFile, _ logs: [SegmentFile]) -> StoreError {
        let end = snapshot.end.lastSequence
        guard let later = logs.first(where: { $0.header.firstSequence > end }), let before = later.header.predecessor
        else {
            return .corruption(
                "the log segment that follows this snapshot, from number \(end + 1) on, is missing",
                file: snapshot.path, offset: 0)
        }
        return .corruption(
            "a log segment is missing, or was replaced, between the snapshot \(snapshot.path) and this one: it follows another, which ends at number \(before.lastSequence)",
            file: later.path, offset: 0, lost: GivenNumbers.lost(from: end + 1, through: before.lastSequence))
    }

    private static func open(
        _ path: String, _ sequence: SequenceNumber, verifyingKeys: Bool, in fileSystem: any FileSystem
    ) throws(StoreError) -> SnapshotFile {
        let snapshot = try SnapshotFile(path, sequence: sequence, in: fileSystem)
        guard verifyingKeys else { return snapshot }
        do throws(StoreError) {
            var section = try KeySection(snapshot)
            let batch = KeyBatch()
            while try section.next(batch) { batch.removeAll() }
        } catch {
            try? snapshot.file.close()
            throw error
        }
        return snapshot
    }
}
