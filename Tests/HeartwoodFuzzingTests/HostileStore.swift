import Heartwood
import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodFuzzing
import HeartwoodInspection
import Synchronization
import Testing

/// Files of a store that no store wrote, under checksums that are right.
enum HostileStore {
    /// A log with one batch.
    static func log(first: UInt64 = 1, _ key: String) -> HostileLog {
        var log = HostileLog(firstSequence: first)
        add(key, first, first: first, to: &log)
        return log
    }

    /// Adds a commit that puts a key with a byte under a number.
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

    /// A snapshot with these keys, as they are given, and what it says of the log before it.
    ///
    /// - Parameter told: So many of them are in the key section, nil: all.
    static func snapshot(
        upTo last: UInt64, _ keys: [String], kind: UInt8 = 1, distance: UInt64 = 0, told: Int? = nil,
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
            if index < told ?? .max {
                Array(key.utf8).withUnsafeBytes {
                    encoder.add($0, offset: UInt64(bytes.count), length: record.count, expiry: 0)
                }
            }
            bytes += record
        }
        let footer = SnapshotFooter(
            recordCount: UInt64(told ?? keys.count), keySectionOffset: UInt64(bytes.count), blockCount: 1,
            keyBytes: UInt64(keys.prefix(told ?? .max).reduce(0) { $0 + $1.utf8.count }), expiringCount: 0)
        encoder.finish(salt: salt, offset: UInt64(bytes.count)) { bytes += Array($0) }
        return (bytes + footer.encoded(salt: salt, offset: UInt64(bytes.count)), end)
    }

    /// Lets the footer of a snapshot be of a newer version.
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

    /// Changes what the footer of a snapshot says, under a checksum that is right.
    static func changeFooter(of snapshot: inout [UInt8], _ change: (inout SnapshotFooter) -> Void) throws {
        let start = snapshot.count - SnapshotFooter.encodedSize
        let offset = UInt64(start)
        var footer = try snapshot[start...].withUnsafeBytes {
            try SnapshotFooter.decode($0, salt: HostileLog.salt, offset: offset)
        }
        change(&footer)
        snapshot.replaceSubrange(start..., with: footer.encoded(salt: HostileLog.salt, offset: offset))
    }

    /// Puts these files into "/store", and looks at them in every way there is: all of them agree, and with an opening.
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
        var configuration = OpeningOutcome.configuration
        configuration.fileSystem = fileSystem
        if case .failed(let failure) = OpeningOutcome(configuration) {
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
    /// Appends a mark at the next place for one.
    mutating func mark(firstSequence: UInt64, time: UInt64) {
        bytes += [UInt8](repeating: 0, count: Int(markBoundary(from: UInt64(bytes.count))) - bytes.count)
        let offset = UInt64(bytes.count)
        bytes += CommitHeader(
            flags: .mark, bodyLength: 0, firstSequence: firstSequence, syncedMark: offset, time: time, recordCount: 0
        ).encoded(salt: Self.salt, offset: offset)
    }
}

/// Counts what is read, and may end every file at a place though its size says otherwise.
final class CountingFileSystem: ForwardingFileSystem {
    struct Count {
        var reads = 0
        var bytes = 0
    }

    let base: any FileSystem
    private let cut: Int
    private let counted = Mutex(Count())

    init(_ base: any FileSystem, cutAt cut: Int = .max) {
        self.base = base
        self.cut = cut
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
        CountedFile(base: try base.openFile(path, for: access), cut: cut, fileSystem: self)
    }

    private final class CountedFile: ForwardingFile {
        let base: any File
        private let cut: Int
        private let fileSystem: CountingFileSystem

        init(base: any File, cut: Int, fileSystem: CountingFileSystem) {
            self.base = base
            self.cut = cut
            self.fileSystem = fileSystem
        }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
            let left = max(0, cut - Int(min(offset, UInt64(Int.max))))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, left)])
            fileSystem.note(part.count)
            return part.isEmpty ? 0 : try base.read(into: part, at: offset)
        }

        func nextData(from offset: UInt64) throws(FileSystemError) -> Range<UInt64>? {
            try base.nextData(from: offset)
        }
    }
}
