internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Writes the files of a repaired store: a snapshot, if the repair starts from one, and log segments after it.
///
/// Every batch keeps its sequence number. Numbers are dense within a segment. So lost numbers are either marked by one
/// optional record each, or, if there are many, skipped by starting a new segment.
final class NewStore: HistorySink {
    let directory: String
    let storeID: StoreID
    private let fileSystem: any FileSystem
    private let now: UInt64
    private(set) var bytes: UInt64 = 0
    private(set) var segments = 0

    private var file: OutputFile?
    private var header: FileHeader?
    /// The predecessor for the header of the next segment.
    private var predecessor: FileHeader.Predecessor?
    private var nextSequence: UInt64 = 1
    private var commit = Commit()
    private var windows: [String: FileWindow] = [:]

    private static let segmentBytes: UInt64 = 64 << 20
    private static let commitBytes = 4 << 20
    /// The most lost numbers to mark with records; that many take 2 MiB. More are skipped by starting a new segment.
    private static let mostMarked: UInt64 = 1 << 16

    /// The commit that is being collected.
    private struct Commit {
        struct Item {
            /// nil for a lost number.
            var record: FoundRecord?
            var batch: RecordHeader.Flags
            var sequence: UInt64
            var source: String
        }
        var items: [Item] = []
        var bytes = 0
        var time: UInt64 = 0
        var firstSequence: UInt64 = 0
    }

    init(_ directory: String, now: UInt64, in fileSystem: any FileSystem) throws(FileSystemError) {
        self.directory = directory
        self.fileSystem = fileSystem
        self.now = now
        storeID = StoreID(low: fileSystem.randomUInt64(), high: fileSystem.randomUInt64())
        try fileSystem.createDirectory(directory)
        try OutputFile(directory + "/" + Self.unfinishedName, in: fileSystem).finish()
        try fileSystem.syncDirectory(directory)
    }

    /// A file that exists in the directory until the whole store is in place. A directory that contains it may be
    /// removed.
    static let unfinishedName = "UNFINISHED"

    private func newSalt() -> UInt32 {
        while true {
            let salt = UInt32(truncatingIfNeeded: fileSystem.randomUInt64())
            if salt != 0 { return salt }
        }
    }

    // MARK: - Snapshot

    /// Writes the snapshot. Call it before adding batches.
    ///
    /// - Parameters:
    ///   - sequence: The snapshot contains everything up to this number.
    ///   - time: The time by which expiry was judged.
    ///   - body: Adds the records, in the order of their keys.
    func writeSnapshot(
        upTo sequence: UInt64, time: UInt64, _ body: (SnapshotOutput) throws -> Void
    ) throws {
        let end = FileHeader.Predecessor(
            salt: newSalt(), lastSequence: sequence, endOffset: UInt64(FormatConstants.fileHeaderSize))
        let header = FileHeader(
            kind: .snapshot, storeID: storeID, salt: newSalt(), firstSequence: 1, predecessor: end, creationTime: time)
        let output = try SnapshotOutput(
            directory + "/" + StoreFileName.snapshot(sequence), header, in: fileSystem)
        try body(output)
        try output.finish()
        bytes += output.bytes
        predecessor = end
        nextSequence = sequence + 1
    }

    // MARK: - Batches

    func add(
        _ records: ArraySlice<FoundRecord>, of found: FoundCommit, sequence: UInt64, lost: UInt64, from source: DataFile
    ) throws {
        if commit.time != found.time || commit.bytes > Self.commitBytes { try writeCommit() }
        if windows[source.path] == nil {
            // Segments come in order, so the windows of earlier ones are rarely needed again.
            if windows.count > 8 {
                try writeCommit()
                windows = [:]
            }
            windows[source.path] = try FileWindow(source.file)
        }
        if sequence != nextSequence {
            if file != nil, lost > 0, lost <= Self.mostMarked, nextSequence + lost == sequence {
                try mark(lost, before: found.time)
            } else {
                try rotate(to: sequence)
            }
        } else if file == nil || file!.position >= Self.segmentBytes {
            try rotate(to: sequence)
        }
        begin(found.time)
        for (index, record) in records.enumerated() {
            var batch: RecordHeader.Flags = []
            if index > 0 { batch.insert(.continuesBatch) }
            if index < records.count - 1 { batch.insert(.batchContinues) }
            commit.items.append(
                Commit.Item(record: record, batch: batch, sequence: sequence, source: source.path))
            commit.bytes += record.header.encodedLength
        }
        nextSequence = sequence + 1
    }

    private func begin(_ time: UInt64) {
        guard commit.items.isEmpty else { return }
        commit.time = max(time, commit.time)
        commit.firstSequence = nextSequence
    }

    private func mark(_ lost: UInt64, before time: UInt64) throws {
        begin(time)
        for _ in 0..<lost {
            commit.items.append(Commit.Item(record: nil, batch: [], sequence: nextSequence, source: ""))
            commit.bytes += FormatConstants.recordHeaderSize
            nextSequence += 1
        }
    }

    private func writeCommit() throws {
        guard !commit.items.isEmpty, let file, let header else { return }
        let encoded = CommitHeader(
            bodyLength: UInt64(commit.bytes), firstSequence: commit.firstSequence,
            syncedMark: UInt64(FormatConstants.fileHeaderSize), time: commit.time,
            recordCount: UInt32(commit.items.count)
        ).encoded(salt: header.salt, offset: file.position)
        try file.append(encoded)
        var space = [UInt8](repeating: 0, count: FormatConstants.recordHeaderSize)
        for item in commit.items {
            let record =
                item.record?.header
                ?? RecordHeader(
                    kind: .lostBatch, keyLength: 0, valueLength: 0, sequenceDistance: 0, expiry: 0, payloadChecksum: 0)
            let tag = ChecksumTag(salt: header.salt, offset: file.position)
            space.withUnsafeMutableBytes { memory in
                record.encode(
                    to: memory.baseAddress!, batch: item.batch,
                    sequenceDistance: item.sequence - header.firstSequence, tag: tag)
            }
            try file.append(space)
            if let found = item.record { try file.appendPayload(of: found, from: &windows[item.source]!) }
        }
        let time = commit.time
        commit = Commit()
        commit.time = time
    }

    // MARK: - Segments

    private func rotate(to sequence: UInt64) throws {
        try endSegment()
        let header = FileHeader(
            kind: .log, storeID: storeID, salt: newSalt(), firstSequence: sequence, predecessor: predecessor,
            creationTime: now)
        self.header = header
        nextSequence = sequence
        file = try OutputFile(directory + "/" + StoreFileName.log(sequence), in: fileSystem)
        try file!.append(header.encoded())
        segments += 1
    }

    private func endSegment() throws {
        guard let file, let header else { return }
        try writeCommit()
        predecessor = FileHeader.Predecessor(
            salt: header.salt, lastSequence: nextSequence - 1, endOffset: file.position)
        try file.finish()
        bytes += file.position
        self.file = nil
    }

    /// Ends the newest segment with a closing mark.
    ///
    /// - Parameters:
    ///   - highest: The newest number that was ever seen. If it is lost, numbering jumps past it, so that no number is
    ///     assigned twice.
    ///   - newestTime: When the newest commit was written. Expiry is judged by it.
    func finish(highest: UInt64, newestTime: UInt64) throws {
        try writeCommit()
        if highest >= nextSequence {
            let epoch = FormatConstants.sequenceEpoch
            try rotate(to: (highest / epoch + 1) * epoch)
        } else if file == nil {
            try rotate(to: nextSequence)
        }
        guard let file, let header else { return }
        try writeCommit()
        try file.appendZeros(upTo: markBoundary(from: file.position))
        let mark = CommitHeader(
            flags: [.mark, .closing], bodyLength: 0, firstSequence: nextSequence, syncedMark: file.position,
            time: max(commit.time, newestTime, 1), recordCount: 0)
        try file.append(mark.encoded(salt: header.salt, offset: file.position))
        try endSegment()
        try fileSystem.syncDirectory(directory)
    }
}
