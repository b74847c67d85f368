internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// The files that a repair draws on: all that are of the store, whatever their names.
struct RepairSources {
    /// A log segment, and where it ends, as far as another file tells.
    struct LogSource {
        var file: DataFile
        var header: FileHeader
        var successor: FileHeader.Predecessor?
    }
    /// A snapshot.
    struct SnapshotSource {
        var file: DataFile
        var header: FileHeader
        var end: FileHeader.Predecessor
    }

    private(set) var logs: [LogSource] = []
    /// The newest first.
    private(set) var snapshots: [SnapshotSource] = []
    var report = RepairReport()

    init(_ listing: StoreListing, _ options: RepairOptions) throws {
        var files: [DataFile] = []
        for entry in listing.entries {
            if let failure = entry.failure { throw StoreError(failure, "a file of the store could not be opened") }
            guard let file = entry.file else { continue }
            let data = try DataFile(entry, file)
            // A newer version's files may hold anything: what is read here would be half of the truth.
            if case .unsupported(let error) = data.state {
                throw StoreError.newerVersion(error, file: data.path, offset: 0)
            }
            files.append(data)
        }
        report.storeID = options.storeID ?? Self.storeID(of: files)
        sort(files)
        leaveOutOtherHistories()
        findEnds()
    }

    /// The id that most files have; of several, the one of the newest file.
    private static func storeID(of files: [DataFile]) -> StoreID? {
        var counts: [StoreID: Int] = [:]
        let sound = files.filter { !$0.isRebuilt && $0.header != nil && $0.meaning.isData }
        for file in sound { counts[file.header!.storeID, default: 0] += 1 }
        let most = counts.values.max()
        let newest = sound.filter { counts[$0.header!.storeID] == most }
            .max { $0.header!.creationTime < $1.header!.creationTime }
        return newest?.header?.storeID ?? files.lazy.compactMap(\.header?.storeID).first
    }

    /// By what they hold, and whether they are of the store.
    private mutating func sort(_ files: [DataFile]) {
        for file in files {
            guard let header = file.header else {
                guard file.meaning.isData else { continue }
                report.note(file, .unreadable)
                report.add(
                    RepairReport.Loss(
                        what: "nothing in it verifies", file: file.path, offset: 0, length: file.size,
                        cause: file.damage))
                continue
            }
            // Whose a file is whose header was put together again, its place and its numbers must tell.
            guard file.isRebuilt || header.storeID == report.storeID else {
                report.note(file, .foreign)
                continue
            }
            switch header.kind {
            case .log: logs.append(LogSource(file: file, header: header))
            case .snapshot:
                guard header.firstSequence == 1, let end = header.predecessor,
                    end.lastSequence < FormatConstants.possibleSequences.upperBound
                else {
                    report.note(file, .unreadable)
                    report.add(
                        RepairReport.Loss(
                            what: RepairReport.Loss.impossible, file: file.path, offset: 0, length: file.size))
                    continue
                }
                snapshots.append(SnapshotSource(file: file, header: header, end: end))
            }
        }
        logs.sort { ($0.header.firstSequence, $0.file.name) < ($1.header.firstSequence, $1.file.name) }
        snapshots.sort { $0.end.lastSequence > $1.end.lastSequence }
    }

    /// Two segments with the same first number and different salts are of two lines of history, as after a copy of the
    /// store went on by itself: the one that others go on from is kept, or else the newer one.
    private mutating func leaveOutOtherHistories() {
        var kept: [LogSource] = []
        for log in logs {
            let rival = kept.firstIndex {
                $0.header.firstSequence == log.header.firstSequence && $0.header.salt != log.header.salt
            }
            guard let rival else {
                kept.append(log)
                continue
            }
            let (mine, other) = (isNamed(log), isNamed(kept[rival]))
            let isBetter = mine != other ? mine : log.header.creationTime > kept[rival].header.creationTime
            report.note(isBetter ? kept[rival].file : log.file, .otherHistory)
            if isBetter { kept[rival] = log }
        }
        logs = kept
    }

    /// Whether another file goes on from this one.
    private func isNamed(_ log: LogSource) -> Bool {
        logs.contains { $0.header.predecessor?.salt == log.header.salt }
            || snapshots.contains { $0.end.salt == log.header.salt }
    }

    /// Where each segment ends, by what the next one or a snapshot says. Of many segments two may have the same salt: the
    /// numbers tell which of them is meant.
    private mutating func findEnds() {
        let headers = logs.filter { !$0.file.isRebuilt }.map(\.header)
        let successors = Dictionary(grouping: headers) { $0.predecessor?.salt ?? 0 }
        let covered = snapshots.filter { !$0.file.isRebuilt }.map(\.end)
        func end(of header: FileHeader, by ends: [FileHeader.Predecessor]) -> FileHeader.Predecessor? {
            ends.filter { $0.salt == header.salt && $0.lastSequence + 1 >= header.firstSequence }
                .min { $0.lastSequence < $1.lastSequence }
        }
        for index in logs.indices {
            let header = logs[index].header
            let later = (successors[header.salt] ?? []).filter { $0.firstSequence > header.firstSequence }
            let before = covered.filter { $0 != header.predecessor }
            logs[index].successor = end(of: header, by: later.compactMap(\.predecessor)) ?? end(of: header, by: before)
        }
    }

    /// The newest number that anything tells of, by headers and names.
    var highestKnown: UInt64 {
        var highest: UInt64 = 0
        for log in logs where !log.file.isRebuilt {
            let last = log.header.predecessor?.lastSequence ?? 0
            if FormatConstants.possibleSequences.contains(last) { highest = max(highest, last) }
        }
        for snapshot in snapshots { highest = max(highest, snapshot.end.lastSequence) }
        return highest
    }
}

extension StoreFileName {
    var isData: Bool {
        switch self {
        case .log, .snapshot: true
        case .temporary, .lock, .other: false
        }
    }
}

extension DataFile {
    var damage: FormatError? {
        if case .damaged(let error) = state { error } else { nil }
    }
}
