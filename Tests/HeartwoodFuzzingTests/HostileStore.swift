import Heartwood
import HeartwoodCampaignSupport
import HeartwoodConcurrency
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodFuzzing
import HeartwoodInspection
import Testing

/// Files that no store wrote, under valid checksums.
enum HostileStore {
    /// A log with one batch.
    static func log(first: UInt64 = 1, _ key: String) -> HostileLog {
        var log = HostileLog(firstSequence: first)
        add(key, first, first: first, to: &log)
        return log
    }

    /// Adds a commit that puts a key with an empty value under a sequence number.
    static func add(_ key: String, _ number: UInt64, first: UInt64, to log: inout HostileLog) {
        let key = Array(key.utf8)
        log.commit(firstSequence: number) { offset in
            HostileLog.record(
                keyLength: UInt16(key.count), valueLength: 0, distance: number &- first, payload: padded(key),
                at: offset)
        }
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: alignedUp(bytes.count) - bytes.count)
    }

    /// A snapshot with these keys in this order, and the end of the log that it replaces.
    ///
    /// - Parameter listed: The number of keys in the key section; nil: all.
    static func snapshot(
        upTo last: UInt64, _ keys: [String], kind: UInt8 = 1, distance: UInt64 = 0, listed: Int? = nil,
        storeID: StoreID = StoreID(low: 1, high: 2)
    ) -> (bytes: [UInt8], end: FileHeader.Predecessor) {
        let end = FileHeader.Predecessor(salt: 9, lastSequence: last, endOffset: 8_192)
        let salt = HostileLog.salt
        var bytes = FileHeader(
            kind: .snapshot, storeID: storeID, salt: salt, firstSequence: 1, predecessor: end, creationTime: 0
        ).encoded()
        var encoder = KeyBlockEncoder()
        for (index, key) in keys.enumerated() {
            let record = HostileLog.record(
                kind: kind, keyLength: UInt16(key.utf8.count), valueLength: 0, distance: distance,
                payload: padded(Array(key.utf8)), at: UInt64(bytes.count))
            if index < listed ?? .max {
                Array(key.utf8).withUnsafeBytes {
                    encoder.add($0, offset: UInt64(bytes.count), length: record.count, expiry: 0)
                }
            }
            bytes += record
        }
        let footer = SnapshotFooter(
            recordCount: UInt64(listed ?? keys.count), keySectionOffset: UInt64(bytes.count), blockCount: 1,
            keyBytes: UInt64(keys.prefix(listed ?? .max).reduce(0) { $0 + $1.utf8.count }), expiringCount: 0)
        encoder.finish(salt: salt, offset: UInt64(bytes.count)) { bytes += Array($0) }
        return (bytes + footer.encoded(salt: salt, offset: UInt64(bytes.count)), end)
    }

    /// Sets a flag of a newer version in the footer of a snapshot.
    static func setFooterFlags(of snapshot: inout [UInt8]) {
        let start = snapshot.count - 64
        snapshot[start + 4] = 1
        let tag = ChecksumTag(salt: HostileLog.salt, offset: UInt64(start))
        var crc = tag.apply(CRC32C.checksum(Array(snapshot[start..<(start + 60)])))
        for byte in 0..<4 {
            snapshot[start + 60 + byte] = UInt8(truncatingIfNeeded: crc)
            crc >>= 8
        }
    }

    /// Changes the footer of a snapshot, under a valid checksum.
    static func changeFooter(of snapshot: inout [UInt8], _ change: (inout SnapshotFooter) -> Void) throws {
        let start = snapshot.count - SnapshotFooter.encodedSize
        let offset = UInt64(start)
        var footer = try snapshot[start...].withUnsafeBytes {
            try SnapshotFooter.decode($0, salt: HostileLog.salt, offset: offset)
        }
        change(&footer)
        snapshot.replaceSubrange(start..., with: footer.encoded(salt: HostileLog.salt, offset: offset))
    }

    /// Checks a snapshot up to sequence number 5 and an empty log after it.
    @discardableResult
    static func check(_ snapshot: [UInt8], endingAt end: FileHeader.Predecessor) throws -> InMemoryFileSystem {
        let log = HostileLog(firstSequence: 6, predecessor: end, salt: 7)
        return try check([(StoreFileName.snapshot(5), snapshot), (StoreFileName.log(6), log.bytes)])
    }

    /// Puts these files into "/store" and reads them in every way. All results agree, also with an opening.
    @discardableResult
    static func check(_ files: [(name: String, bytes: [UInt8])]) throws -> InMemoryFileSystem {
        let image = DirectoryImage(files: files)
        let fileSystem = try image.inMemory()
        let check = try Verification.run("/store", fileSystem: fileSystem, patience: .none)
        let survey = try StoreSurvey.make(
            of: "/store", now: 1, records: RecordSelection(), fileSystem: fileSystem, patience: .none)
        #expect(check.verdict == survey.verdict && check.opens == survey.opens)
        #expect(survey.files.allSatisfy { $0.bytes.all == $0.size })
        try LogReading.run("/store", fileSystem: fileSystem, patience: .none) { _ in true }
        do {
            let report = try Repair.run("/store", output: "/checked", now: 1, fileSystem: fileSystem)
            #expect(try Repair.plan("/store", fileSystem: fileSystem).batches == report.batches)
        } catch let error as StoreError {
            #expect(error.code == .unsupportedFormat, "\(error)")
        }
        if case .failed(let failure) = OpeningOutcome(OpeningOutcome.configuration(fileSystem)) {
            let refusal = check.findings.first(where: \.refusesOpening)
            #expect(refusal?.file == failure.file, "\(failure) instead of \(check.findings)")
            #expect(refusal?.lost == failure.lost, "\(failure) instead of \(check.findings)")
        } else {
            #expect(check.opens, "\(check.findings)")
        }
        return try image.inMemory()
    }
}

extension HostileLog {
    /// Appends a mark at the next boundary.
    mutating func mark(firstSequence: UInt64, time: UInt64) {
        bytes += [UInt8](repeating: 0, count: Int(markBoundary(from: UInt64(bytes.count))) - bytes.count)
        let offset = UInt64(bytes.count)
        bytes += CommitHeader(
            flags: .mark, bodyLength: 0, firstSequence: firstSequence, syncedMark: offset, time: time, recordCount: 0
        ).encoded(salt: Self.salt, offset: offset)
    }
}

/// Counts reads and bytes, and can make every file end before its reported size.
final class CountingFileSystem: ForwardingFileSystem {
    struct Count {
        var reads = 0
        var bytes = 0
    }

    let base: any FileSystem
    private let end: Int
    private let counted = Locked(Count())

    init(_ base: any FileSystem, endingAt end: Int = .max) {
        self.base = base
        self.end = end
    }

    var count: Count { counted.withLock { $0 } }
    func reset() { counted.withLock { $0 = Count() } }

    fileprivate func note(_ bytes: Int) {
        counted.withLock {
            $0.reads += 1
            $0.bytes += bytes
        }
    }

    func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        CountedFile(base: try base.openFile(path, for: access), end: end, fileSystem: self)
    }

    private final class CountedFile: ForwardingFile {
        let base: any File
        private let end: Int
        private let fileSystem: CountingFileSystem

        init(base: any File, end: Int, fileSystem: CountingFileSystem) {
            self.base = base
            self.end = end
            self.fileSystem = fileSystem
        }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
            let left = max(0, end - Int(min(offset, UInt64(Int.max))))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, left)])
            fileSystem.note(part.count)
            return part.isEmpty ? 0 : try base.read(into: part, at: offset)
        }

        func nextData(from offset: UInt64) throws(FileSystemError) -> Range<UInt64>? {
            try base.nextData(from: offset)
        }
    }
}
