package import HeartwoodFileSystem
package import HeartwoodFiles
internal import HeartwoodFormat

/// Reads the records of a store's log, or of one file, in order. Continues after damaged parts.
///
/// It takes no lock and writes nothing, so the store may be in use.
package enum LogReading {
    /// Calls `body` for each record, and for each part that had to be skipped.
    ///
    /// For a store, these are the records of all existing segments, including those that a snapshot covers. For a
    /// single snapshot file, they are in the order of the keys. O(bytes), in constant memory.
    ///
    /// - Parameters:
    ///   - path: A store's directory, or one of its files.
    ///   - patience: How long to wait for data that may be being written.
    ///   - body: Returns false to stop.
    /// - Returns: The verdict on what was read.
    /// - Throws: `StoreError` if the path does not exist (`.notFound`) or the system can't read it; what `body` throws.
    @discardableResult
    package static func run(
        _ path: String, _ filter: LogFilter = LogFilter(), fileSystem: any FileSystem = POSIXFileSystem(),
        patience: LogWalk.Patience = .live, _ body: (LogItem) throws -> Bool
    ) throws -> Verdict {
        func give(_ item: LogItem) throws {
            if try !body(item) { throw Stopped() }
        }
        var reader = LogReader(filter: filter)
        do {
            let listing = try StoreListing.at(path, in: try fileSystem.boundIfDirectory(path))
            defer { listing.close() }
            let files = try StoreFiles(listing)
            try files.checkIsStore(listing)
            if let snapshot = files.members.first(where: { $0.role == .snapshot })?.file {
                try reader.readNoted(of: snapshot, give)
            }
            if let only = files.members.first?.file, only.path == path, only.header?.kind == .snapshot {
                guard filter.kinds?.isEmpty != true else { return Verdict(files.findings) }
                try reader.readSnapshot(only, give)
                return Verdict(reader.findings)
            }
            for finding in files.findings where finding.severity > .torn {
                guard try body(.skipped(finding)) else { return Verdict(files.findings) }
            }
            let logs = files.members.filter(\.isShown).sorted { $0.sequence < $1.sequence }
            for (index, log) in logs.enumerated() {
                let isNewest = index == logs.count - 1 && log.role != .covered
                try reader.readLog(log, isNewest ? patience : .none, give)
            }
            return Verdict(reader.findings + files.findings)
        } catch is Stopped {
            return Verdict(reader.findings)
        } catch let error as FileSystemError {
            throw StoreError(error, "the log could not be read")
        }
    }

    /// The caller wants no more items.
    private struct Stopped: Error {}
}

extension StoreFiles.Member {
    /// Whether it is a segment of the store's log, or a file that was given by its path, with any name.
    fileprivate var isShown: Bool {
        guard file.header?.kind == .log else { return false }
        switch role {
        case .log, .covered, .other: return true
        case .snapshot, .older, .damaged, .temporary, .foreign: return false
        }
    }
}

/// Reports the records of one file after the other.
private struct LogReader {
    typealias Give = (LogItem) throws -> Void

    let filter: LogFilter
    /// The first finding of each severity that is worse than all earlier ones. The verdict needs no more.
    private(set) var findings: [Finding] = []

    init(filter: LogFilter) { self.filter = filter }

    private mutating func skip(_ finding: Finding, _ give: Give) throws {
        if findings.allSatisfy({ $0.severity < finding.severity }) { findings.append(finding) }
        try give(.skipped(finding))
    }

    // MARK: - A log

    mutating func readLog(_ member: StoreFiles.Member, _ patience: LogWalk.Patience, _ give: Give) throws {
        let (file, header) = (member.file, member.file.header!)
        var walk = try LogWalk(file, header: header, successor: member.successor, patience: patience)
        try give(.file(path: file.path, header: header))
        while true {
            switch try walk.next() {
            case .commit:
                // Checked first, because most commits have no matching record.
                guard filter.noted != nil || filter.times.contains(walk.commit.header.time) else { continue }
                try read(FoundCommit(walk.commit, isBehindTear: walk.isBehindTear), isWhole: true, in: file, give)
            case .damage(let damage):
                try skip(Finding(skipping: damage, of: file.path, successor: walk.successor), give)
                try read(FoundCommit(damage, isBehindTear: walk.isBehindTear), isWhole: false, in: file, give)
            case .end(let end):
                if case .unsupported(let error, let offset) = end.reason {
                    let what = "it was written by a newer version of Heartwood"
                    try skip(Finding(.unsupported, file: file.path, offset: offset, what, cause: error), give)
                } else if let successor = walk.successor, end.reason != .recorded {
                    try skip(.cutShort(file.path, end, successor), give)
                }
                return
            }
        }
    }

    private func read(_ commit: FoundCommit, isWhole: Bool, in file: DataFile, _ give: Give) throws {
        let isInTime = filter.times.contains(commit.time)
        guard isInTime || filter.noted != nil else { return }
        var window: FileWindow?
        for batch in commit.batches {
            let state: LoggedRecord.State =
                !batch.isWhole ? .partial : commit.isBehindTear ? .torn : isWhole ? .whole : .salvaged
            for index in batch.records where commit.records[index].isIntact {
                let record = commit.records[index]
                let key = commit.key(of: record)
                var logged = LoggedRecord(record.header, record.offset, record.sequence, key, file, state)
                logged.time = commit.time
                if filter.notes(record.header, key) {
                    try give(.noted(logged.withValue(in: file, &window, most: LogFilter.mostNotedBytes)))
                }
                guard isInTime, filter.wants(record, key) else { continue }
                logged.batchIndex = index - batch.records.lowerBound
                logged.batchCount = batch.records.count
                if filter.withValues { logged = try logged.withValue(in: file, &window, most: filter.mostValueBytes) }
                try give(.record(logged))
            }
        }
    }

    // MARK: - A snapshot

    /// Reports what a snapshot has of the noted keys. O(bytes of its keys).
    func readNoted(of file: DataFile, _ give: Give) throws {
        guard let prefix = filter.noted, case .success(let snapshot) = try SnapshotFile.open(file) else { return }
        var section = try KeySection(of: snapshot)
        var window = try FileWindow(file.file, size: 4 << 10)
        var values: FileWindow?
        let (batch, header) = (KeyBatch(), snapshot.header)
        while case .success(true) = try section.read(batch) {
            defer { batch.removeAll() }
            for index in 0..<batch.count where batch.key(index).starts(with: prefix) {
                let entry = batch.entry(index)
                let end = entry.offset + UInt64(entry.length)
                guard entry.length <= LogFilter.mostNotedBytes + FormatConstants.maximumKeyBytes else { continue }
                var key: [UInt8] = []
                let probe = try RecordProbe.look(at: entry.offset, end: end, of: header, in: &window, adding: &key)
                guard case .intact(let found) = probe, key.elementsEqual(batch.key(index)),
                    case (let sequence, false) = header.firstSequence.addingReportingOverflow(found.sequenceDistance),
                    filter.notes(found, key[...])
                else { continue }
                let logged = LoggedRecord(found, entry.offset, sequence, key[...], file, .whole)
                try give(.noted(logged.withValue(in: file, &values, most: LogFilter.mostNotedBytes)))
            }
            // Keys are in order.
            if prefix.lexicographicallyPrecedes(batch.key(batch.count - 1).prefix(prefix.count)) { break }
        }
    }

    /// Reports the records of a snapshot.
    mutating func readSnapshot(_ file: DataFile, _ give: Give) throws {
        try give(.file(path: file.path, header: file.header!))
        var walk = try SnapshotWalk(file, header: file.header!)
        var window: FileWindow?
        while case .records(let damages) = try walk.next() {
            for record in walk.records {
                let key = walk.key(of: record)
                guard filter.wants(record, key) else { continue }
                var logged = LoggedRecord(record.header, record.offset, record.sequence, key, file, .whole)
                if filter.withValues { logged = try logged.withValue(in: file, &window, most: filter.mostValueBytes) }
                try give(.record(logged))
            }
            for damage in damages { try skip(Finding(damage, file.path), give) }
        }
    }
}

extension Finding {
    /// A damaged part of a log whose records follow as far as they are whole.
    fileprivate init(skipping damage: LogDamage, of path: String, successor: FileHeader.Predecessor?) {
        let isTorn = damage.proof == nil
        self.init(
            isTorn ? .torn : .corruption, file: path, offset: damage.offset, length: damage.length,
            isTorn
                ? "torn, as by a crash: what is whole after it follows, and an opening skips it"
                : "damaged: what is whole up to offset \(damage.part.upperBound) follows",
            lost: damage.lostNumbers(upTo: successor), keys: damage.lostKeys(certain: true), cause: damage.error)
        perhapsKeys = damage.lostKeys(certain: false)
    }
}

extension LoggedRecord {
    fileprivate init(
        _ header: RecordHeader, _ offset: UInt64, _ sequence: UInt64, _ key: ArraySlice<UInt8>, _ file: DataFile,
        _ state: State
    ) {
        self.init(
            file: file.path, offset: offset, sequence: sequence, kind: header.kind, key: Array(key),
            storedValueBytes: Int(header.valueLength), isCompressed: header.flags.contains(.compressed),
            bytes: header.encodedLength, expires: header.expiry == 0 ? nil : header.expiry, state: state)
    }

    /// The record with its value; without one if it can't be decompressed.
    ///
    /// - Parameter window: Set by the first call, for the next ones.
    fileprivate func withValue(
        in file: DataFile, _ window: inout FileWindow?, most: Int
    ) throws(FileSystemError) -> LoggedRecord {
        if window == nil { window = try FileWindow(file.file, size: 64 << 10) }
        var record = self
        guard let bytes = try storedValue(in: &window!),
            let stored = try? StoredValue(bytes, isCompressed: isCompressed)
        else { return record }
        if stored.count > most {
            record.longValue = stored
        } else if isCompressed {
            record.value = bytes.withUnsafeBytes { try? Inflater.value(of: $0, limit: most) }
        } else {
            record.value = bytes
        }
        return record
    }

    /// The bytes of the value as they are stored; nil if the file ends before.
    private func storedValue(in window: inout FileWindow) throws(FileSystemError) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(storedValueBytes)
        let start = offset + UInt64(FormatConstants.recordHeaderSize + key.count)
        while bytes.count < storedValueBytes {
            let wanted = min(256 << 10, storedValueBytes - bytes.count)
            let read = try window.withBytes(at: start + UInt64(bytes.count), count: wanted) { piece in
                bytes.append(contentsOf: piece)
                return piece.count
            }
            guard read > 0 else { return nil }
        }
        return bytes
    }
}
