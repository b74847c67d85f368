package import HeartwoodFileSystem
internal import HeartwoodFiles
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
    ///   - filter: Which records to report.
    ///   - fileSystem: Where the files are. The real file system by default.
    ///   - isStopped: If given, later commits are reported too, as they are written, until this returns true. It is
    ///     called ten times a second.
    ///   - body: Called for each item. Returns false to stop.
    /// - Returns: The verdict on what was read; `.clean` if the log was followed until it was stopped.
    /// - Throws: `StoreError` if the path does not exist (`.notFound`) or the system can't read it; what `body` throws.
    @discardableResult
    package static func run(
        _ path: String, _ filter: LogFilter = LogFilter(), fileSystem: any FileSystem = POSIXFileSystem(),
        following isStopped: (() -> Bool)? = nil, _ body: (LogItem) throws -> Bool
    ) throws -> Verdict {
        let patience: LogWalk.Patience = isStopped == nil ? .live : .following
        return try run(path, filter, fileSystem: fileSystem, patience: patience, following: isStopped, body)
    }

    /// - Parameter patience: How long to wait for data that may be being written.
    @discardableResult
    package static func run(
        _ path: String, _ filter: LogFilter = LogFilter(), fileSystem: any FileSystem, patience: LogWalk.Patience,
        following isStopped: (() -> Bool)? = nil, _ body: (LogItem) throws -> Bool
    ) throws -> Verdict {
        do {
            let fileSystem = try fileSystem.boundIfDirectory(path)
            let listing = try StoreListing.at(path, in: fileSystem)
            defer { listing.close() }
            let files = try StoreFiles(listing)
            try files.checkIsStore(listing)
            var reader = LogReader(filter, patience)
            if filter.noted != nil, let snapshot = files.members.first(where: { $0.role == .snapshot })?.file {
                guard try reader.readNoted(of: snapshot, body) else { return Verdict(files.findings) }
            }
            if let only = files.members.first, only.file.path == path, only.file.header?.kind == .snapshot {
                guard filter.kinds?.isEmpty != true else { return Verdict(files.findings) }
                _ = try reader.readSnapshot(only.file, only.file.header!, body)
                return Verdict(reader.findings)
            }
            let logs = files.members.filter(\.isShown).sorted { $0.sequence < $1.sequence }
            for finding in files.findings where finding.severity > .torn {
                guard try body(.skipped(finding)) else { return Verdict(files.findings) }
            }
            for (index, log) in logs.enumerated() {
                let isNewest = index == logs.count - 1 && log.role != .covered
                guard try reader.read(log, isNewest: isNewest, body) else { return Verdict(reader.findings) }
            }
            guard let isStopped else { return Verdict(reader.findings + files.findings) }
            var follower = LogFollower(path, fileSystem, reader: reader, after: logs.last)
            try follower.run(isStopped, body)
            return .clean
        } catch let error as FileSystemError {
            throw StoreError(error, "the log could not be read")
        }
    }
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
struct LogReader {
    private let filter: LogFilter
    private let patience: LogWalk.Patience
    /// The first finding of each severity that is worse than all earlier ones. The verdict needs no more.
    private(set) var findings: [Finding] = []
    private var walk: LogWalk?

    init(_ filter: LogFilter, _ patience: LogWalk.Patience) {
        self.filter = filter
        self.patience = patience
    }

    private mutating func note(_ finding: Finding) {
        if findings.allSatisfy({ $0.severity < finding.severity }) { findings.append(finding) }
    }

    /// The next sequence number in the current file.
    var nextSequence: UInt64? { walk?.nextSequence }

    /// Returns false if `body` returned false.
    mutating func read(_ member: StoreFiles.Member, isNewest: Bool, _ body: (LogItem) throws -> Bool) throws -> Bool {
        walk = try LogWalk(
            member.file, header: member.file.header!, successor: member.successor,
            patience: isNewest ? patience : .none)
        guard try body(.file(path: member.file.path, header: member.file.header!)) else { return false }
        return try resume(body)
    }

    /// Updates the current file to its present size.
    mutating func refresh(successor: FileHeader.Predecessor?) throws(FileSystemError) {
        try walk?.refresh(successor: successor)
    }

    /// Continues to read from the current position to the present end.
    mutating func resume(_ body: (LogItem) throws -> Bool) throws -> Bool {
        guard walk != nil else { return true }
        while true {
            switch try walk!.next() {
            case .commit:
                // Checked first, because most commits have no matching record.
                guard filter.noted != nil || filter.times.contains(walk!.commit.header.time) else { continue }
                let commit = FoundCommit(walk!.commit, isBehindTear: walk!.isBehindTear)
                guard try give(commit, isWhole: true, body) else { return false }
            case .damage(let damage):
                guard try give(damage, body) else { return false }
            case .end(let end):
                return try finish(end, body)
            }
        }
    }

    private mutating func give(_ damage: LogDamage, _ body: (LogItem) throws -> Bool) throws -> Bool {
        let isTorn = damage.proof == nil
        var finding = Finding(
            isTorn ? .torn : .corruption, file: walk!.file.path, offset: damage.offset,
            length: damage.length,
            isTorn
                ? "torn, as by a crash: what is whole after it follows, and an opening skips it"
                : "damaged: what is whole up to offset \(damage.part.upperBound) follows",
            lost: damage.lostNumbers(upTo: walk!.successor), keys: damage.lostKeys(certain: true), cause: damage.error)
        finding.perhapsKeys = damage.lostKeys(certain: false)
        note(finding)
        guard try body(.skipped(finding)) else { return false }
        let commit = FoundCommit(
            time: damage.commit?.time ?? walk!.lastTime, records: damage.records, keys: damage.keys,
            batches: damage.batches, isBehindTear: walk!.isBehindTear)
        return try give(commit, isWhole: false, body)
    }

    private func give(_ commit: FoundCommit, isWhole: Bool, _ body: (LogItem) throws -> Bool) throws -> Bool {
        let isInTime = filter.times.contains(commit.time)
        guard isInTime || filter.noted != nil else { return true }
        var window: FileWindow?
        for batch in commit.batches {
            let state: LoggedRecord.State =
                !batch.isWhole ? .partial : commit.isBehindTear ? .torn : isWhole ? .whole : .salvaged
            for index in batch.records {
                let record = commit.records[index]
                let key = commit.key(of: record)
                guard record.isIntact else { continue }
                if filter.notes(record, key) {
                    guard try body(.noted(noted(record, key, walk!.file, commit.time, state))) else { return false }
                }
                guard isInTime, filter.wants(record, key) else { continue }
                var logged = LoggedRecord(record, key, walk!.file.path, commit.time, state)
                logged.batchIndex = index - batch.records.lowerBound
                logged.batchCount = batch.records.count
                if filter.withValues {
                    if window == nil { window = try FileWindow(walk!.file.file, size: 64 << 10) }
                    try logged.read(record, from: &window!, most: filter.mostValueBytes)
                }
                guard try body(.record(logged)) else { return false }
            }
        }
        return true
    }

    private mutating func finish(_ end: LogEnd, _ body: (LogItem) throws -> Bool) throws -> Bool {
        var finding: Finding?
        let path = walk!.file.path
        if case .unsupported(let error, let offset) = end.reason {
            finding = Finding(
                .unsupported, file: path, offset: offset, "it was written by a newer version of Heartwood", cause: error
            )
        } else if let successor = walk!.successor, end.reason != .recorded {
            finding = .cutShort(path, end, successor)
        }
        guard let finding else { return true }
        note(finding)
        return try body(.skipped(finding))
    }

    /// A record with its value.
    private func noted(
        _ record: FoundRecord, _ key: ArraySlice<UInt8>, _ file: DataFile, _ time: UInt64?, _ state: LoggedRecord.State
    ) throws(FileSystemError) -> LoggedRecord {
        var window = try FileWindow(file.file, size: 4 << 10)
        var logged = LoggedRecord(record, key, file.path, time, state)
        try logged.read(record, from: &window, most: LogFilter.mostNotedBytes)
        return logged
    }

    /// Reports what a snapshot has of the noted keys. O(bytes of its keys).
    func readNoted(of file: DataFile, _ body: (LogItem) throws -> Bool) throws -> Bool {
        guard let prefix = filter.noted, case .success(let snapshot) = try SnapshotFile.open(file) else { return true }
        var section = try KeySection(of: snapshot)
        var window = try FileWindow(file.file, size: 4 << 10)
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
                    case (let sequence, false) = header.firstSequence.addingReportingOverflow(found.sequenceDistance)
                else { continue }
                let record = FoundRecord(
                    offset: entry.offset, header: found, sequence: sequence,
                    keyStart: nil, isIntact: true, beginsBatch: true)
                guard filter.notes(record, key[...]) else { continue }
                guard try body(.noted(noted(record, key[...], file, nil, .whole))) else { return false }
            }
            // Keys are in order.
            if prefix.lexicographicallyPrecedes(batch.key(batch.count - 1).prefix(prefix.count)) { break }
        }
        return true
    }

    /// Reports the records of a snapshot.
    mutating func readSnapshot(
        _ file: DataFile, _ header: FileHeader, _ body: (LogItem) throws -> Bool
    ) throws -> Bool {
        guard try body(.file(path: file.path, header: header)) else { return false }
        var walk = try SnapshotWalk(file, header: header)
        var window = try FileWindow(file.file, size: 256 << 10)
        while case .records(let damages) = try walk.next() {
            for record in walk.records {
                let key = walk.key(of: record)
                guard filter.wants(record, key) else { continue }
                var logged = LoggedRecord(record, key, file.path, nil, .whole)
                if filter.withValues { try logged.read(record, from: &window, most: filter.mostValueBytes) }
                guard try body(.record(logged)) else { return false }
            }
            for damage in damages {
                let finding = Finding(damage, file.path)
                note(finding)
                guard try body(.skipped(finding)) else { return false }
            }
        }
        return true
    }
}

extension LoggedRecord {
    init(_ record: FoundRecord, _ key: ArraySlice<UInt8>, _ file: String, _ time: UInt64?, _ state: State) {
        self.init(
            file: file, offset: record.offset, sequence: record.sequence, batchIndex: 0, batchCount: 1,
            kind: record.header.kind, key: Array(key), storedValueBytes: Int(record.header.valueLength),
            isCompressed: record.header.flags.contains(.compressed), bytes: record.header.encodedLength,
            expires: record.header.expiry == 0 ? nil : record.header.expiry, time: time, state: state)
    }

    /// Reads the value of a record that verifies. Both stay nil if it can't be decompressed.
    fileprivate mutating func read(
        _ record: FoundRecord, from window: inout FileWindow, most: Int
    ) throws(FileSystemError) {
        guard let bytes = try window.stored(record),
            let stored = try? StoredValue(bytes, isCompressed: isCompressed)
        else { return }
        if stored.count > most {
            longValue = stored
        } else if isCompressed {
            value = bytes.withUnsafeBytes { try? Inflater.value(of: $0, limit: most) }
        } else {
            value = bytes
        }
    }
}

extension FileWindow {
    /// The bytes of a record's value as they are stored; nil if the file ends before.
    fileprivate mutating func stored(_ record: FoundRecord) throws(FileSystemError) -> [UInt8]? {
        let count = Int(record.header.valueLength)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        var at = record.offset + UInt64(FormatConstants.recordHeaderSize) + UInt64(record.header.keyLength)
        while bytes.count < count {
            let read = try withBytes(at: at, count: min(256 << 10, count - bytes.count)) { piece in
                bytes.append(contentsOf: piece)
                return piece.count
            }
            guard read > 0 else { return nil }
            at += UInt64(read)
        }
        return bytes
    }
}
