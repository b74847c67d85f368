import Heartwood
import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodFuzzing
import HeartwoodInspection
import HeartwoodTesting
import Testing

/// The bytes that an inspection, a repair or an opening reads are bounded by the bytes that exist.
@Suite struct BoundedWorkTests {
    private static let terabyte: UInt64 = 1 << 40

    /// Runs every command over the files and compares the bytes that it reads with the bytes that exist.
    private static func check(_ files: SparseStore, _ comment: String = "", factor: Int = 48) throws {
        defer { files.remove() }
        let fileSystem = CountingFileSystem(POSIXFileSystem())
        // Each pass over a file may read a few windows more.
        let most = factor * Int(try files.existingBytes()) + 48 << 20
        func expectBounded(_ what: String, _ body: () throws -> Void) rethrows {
            fileSystem.reset()
            try body()
            #expect(fileSystem.count.bytes < most, "\(comment) \(what): \(fileSystem.count), \(most)")
        }
        try expectBounded("verify") { _ = try Verification.run(files.path, fileSystem: fileSystem, patience: .none) }
        try expectBounded("inspect") {
            let survey = try StoreSurvey.make(
                of: files.path, now: 1, records: RecordSelection(), fileSystem: fileSystem, patience: .none)
            #expect(survey.files.allSatisfy { $0.bytes.all == $0.size })
        }
        try expectBounded("log") {
            try LogReading.run(files.path, fileSystem: fileSystem, patience: .none) { _ in true }
        }
        try expectBounded("plan") { _ = try Repair.plan(files.path, fileSystem: fileSystem) }
        try expectBounded("repair") {
            let output = files.path + "-repaired"
            defer { TemporaryDirectory.remove(output) }
            _ = try Repair.run(files.path, output: output, now: 1, fileSystem: fileSystem)
        }
        expectBounded("open") {
            _ = OpeningOutcome(OpeningOutcome.configuration(fileSystem), at: files.path)
        }
    }

    // MARK: - Files of a terabyte that are mostly a hole

    enum Which: CaseIterable { case first, middle, newest }

    @Test(arguments: Which.allCases)
    func aSegmentOfATerabyte(which: Which) throws {
        var files: [(String, [UInt8])] = []
        var end: FileHeader.Predecessor?
        for first: UInt64 in [1, 11, 21] {
            var log = HostileLog(firstSequence: first, predecessor: end, salt: HostileLog.salt)
            for number in first..<first + 10 { HostileStore.add("key \(number)", number, first: first, to: &log) }
            end = FileHeader.Predecessor(
                salt: HostileLog.salt, lastSequence: first + 9, endOffset: UInt64(log.bytes.count))
            files.append((StoreFileName.log(first), log.bytes))
        }
        let index = Which.allCases.firstIndex(of: which) ?? 0
        for damaged in [nil, 20, 4_100, 4_150] as [Int?] {
            var files = files
            if let damaged { files[index].1[damaged] ^= 1 }
            let store = try SparseStore(files)
            try store.extend(files[index].0, to: Self.terabyte)
            try Self.check(store, "\(which) \(String(describing: damaged))")
            // The same with bytes in the middle of the hole and at the end.
            let other = try SparseStore(files)
            try other.extend(files[index].0, to: Self.terabyte)
            try other.write([1, 2, 3], to: files[index].0, at: 1 << 39)
            try other.write([1], to: files[index].0, at: Self.terabyte - 1)
            try Self.check(other, "\(which) \(String(describing: damaged)), with bytes far away")
        }
    }

    @Test func aSnapshotOfATerabyte() throws {
        let (snapshot, end) = HostileStore.snapshot(upTo: 5, (0..<500).map { "key \(1_000 + $0)" })
        let log = HostileLog(firstSequence: 6, predecessor: end, salt: 7)
        for damaged in [nil, 20, 5_000, snapshot.count - 100] as [Int?] {
            for offset in [nil, 1 << 39] as [UInt64?] {
                var bytes = snapshot
                if let damaged { bytes[damaged] ^= 1 }
                let store = try SparseStore([(StoreFileName.snapshot(5), bytes), (StoreFileName.log(6), log.bytes)])
                try store.extend(StoreFileName.snapshot(5), to: Self.terabyte)
                if let offset { try store.write([1, 2, 3], to: StoreFileName.snapshot(5), at: offset) }
                try Self.check(store, "\(String(describing: damaged)) \(String(describing: offset))")
            }
        }
    }

    /// Larger than the bytes that `check` permits, and small enough that reading all of it ends.
    @Test func aHoleIsNotRead() throws {
        for damaged in [nil, 4_100] as [Int?] {
            var bytes = HostileStore.log("a").bytes
            if let damaged { bytes[damaged] ^= 1 }
            let store = try SparseStore([(StoreFileName.log(1), bytes)])
            try store.extend(StoreFileName.log(1), to: 128 << 20)
            try Self.check(store, "\(String(describing: damaged))")
        }
    }

    /// A few bytes of garbage at many offsets, far from each other.
    @Test func damageBetweenHoles() throws {
        let (snapshot, end) = HostileStore.snapshot(upTo: 5, ["a", "b"])
        for name in [StoreFileName.log(6), StoreFileName.snapshot(5)] {
            let log = HostileLog(firstSequence: 6, predecessor: end)
            let store = try SparseStore([(StoreFileName.snapshot(5), snapshot), (StoreFileName.log(6), log.bytes)])
            try store.extend(name, to: Self.terabyte)
            for gibibyte in 1..<300 as Range<UInt64> {
                try store.write([1, 2, 3, 4, 5], to: name, at: gibibyte << 30)
            }
            try Self.check(store, name)
        }
    }

    /// A value that is a hole is verified without being read.
    @Test func valuesInHoles() throws {
        let length: UInt32 = 2_000_000_000
        let bytes = 1 + UInt64(length) + 7
        let checksum = CRC32C.checksum(zeros: bytes - 1, continuing: CRC32C.checksum([65]))
        let store = try SparseStore([(StoreFileName.log(1), HostileLog().bytes)])
        var at: UInt64 = 4_096
        for number: UInt64 in 0..<20 {
            let commit = CommitHeader(
                bodyLength: 32 + bytes, firstSequence: number + 1, syncedMark: 4_096, time: 0, recordCount: 1
            ).encoded(salt: HostileLog.salt, offset: at)
            let record = HostileLog.record(
                keyLength: 1, valueLength: length, distance: number, payload: [65], checksum: checksum, at: at + 48)
            try store.write(commit + record, to: StoreFileName.log(1), at: at)
            at += 80 + bytes
        }
        try store.extend(StoreFileName.log(1), to: at)
        defer { store.remove() }
        let fileSystem = CountingFileSystem(POSIXFileSystem())
        let check = try Verification.run(store.path, fileSystem: fileSystem, patience: .none)
        #expect(check.verdict == .clean && check.records == 20)
        #expect(fileSystem.count.bytes < 4 << 20, "\(fileSystem.count)")
        fileSystem.reset()
        _ = try StoreSurvey.make(of: store.path, now: 1, fileSystem: fileSystem, patience: .none)
        #expect(try Repair.plan(store.path, fileSystem: fileSystem).records == 20)
        #expect(fileSystem.count.bytes < 12 << 20, "\(fileSystem.count)")
    }

    /// Values are inflated only up to a total that is bounded by the size of the file; the others are counted.
    @Test func valuesThatYieldFarMoreThanIsStored() throws {
        let bomb = Bomb.stored(declaring: 128 << 20, yielding: 128 << 20)
        var log = HostileLog()
        for number: UInt64 in 0..<6 {
            log.commit(firstSequence: number + 1) { offset in
                HostileLog.record(
                    flags: RecordHeader.Flags.compressed.rawValue, keyLength: 1,
                    valueLength: UInt32(bomb.count), distance: number,
                    payload: [65] + bomb + [UInt8](repeating: 0, count: -(bomb.count + 1) & 7), at: offset)
            }
        }
        let fileSystem = try HostileLog.fileSystem([(1, log)])
        let check = try Verification.run("/store", fileSystem: fileSystem, patience: .none)
        // The first two are inflated: their streams have no end.
        #expect(check.findings.count { $0.severity == .corruption } == 2, "\(check.findings)")
        let notes = check.findings.filter { $0.severity == .note }
        #expect(notes.count == 1 && notes.first?.what.hasPrefix("4 compressed values") == true)
        #expect(try Repair.plan("/store", fileSystem: fileSystem).records == 4)
    }

    // MARK: - Files that keep a reader busy

    /// The contents of a hostile file.
    enum Filling: CaseIterable {
        /// Adjacent record headers that claim 2 GB each, 300 KB each, and as much as is always read.
        case longRecords, mediumRecords, shortRecords
        /// Adjacent headers of small commits, and commit headers that each prove only the bytes in front of them.
        case commits, marks
        /// Commit headers at intervals of 16 KiB, with holes between them.
        case commitsBetweenHoles
        /// Words that could begin record headers, from which the salt of a damaged file header could be derived.
        case words

        func bytes(_ index: Int, at offset: UInt64) -> [UInt8] {
            let number = UInt64(index % 1_000 + 2)
            func commit(_ mark: UInt64) -> [UInt8] {
                CommitHeader(bodyLength: 40, firstSequence: number, syncedMark: mark, time: 0, recordCount: 1)
                    .encoded(salt: HostileLog.salt, offset: offset)
            }
            func record(_ length: UInt32) -> [UInt8] {
                HostileLog.record(keyLength: 1, valueLength: length, distance: number, checksum: 4, at: offset)
            }
            switch self {
            case .longRecords: return record(2_000_000_000)
            case .mediumRecords: return record(300_000)
            case .shortRecords: return record(4_000)
            case .commits, .commitsBetweenHoles: return commit(4_096)
            case .marks: return commit(offset - 16)
            case .words: return [1, 0, 1, 0, 232, 253, 0, 0]
            }
        }
    }

    @Test(arguments: Filling.allCases)
    func aHostileLog(filling: Filling) throws {
        for (isHeaderSound, isLong) in [(true, true), (true, false), (false, true)] {
            let store = try SparseStore([(StoreFileName.log(1), HostileStore.log("a").bytes)])
            var bytes: [UInt8] = [1, 1, 1, 1, 1, 1, 1, 1]
            let start: UInt64 = 8_192
            var at = start + 8
            for index in 0..<10_000 {
                let item = filling.bytes(index, at: at)
                at += UInt64(item.count)
                bytes += item
                guard filling == .commitsBetweenHoles else { continue }
                try store.write(bytes, to: StoreFileName.log(1), at: at - UInt64(bytes.count))
                bytes = []
                at = (at / 16_384 + 1) * 16_384
                if index == 500 { break }
            }
            try store.write(bytes, to: StoreFileName.log(1), at: start)
            if !isHeaderSound { try store.write([0], to: StoreFileName.log(1), at: 40) }
            if isLong { try store.extend(StoreFileName.log(1), to: Self.terabyte) }
            try Self.check(store, "\(filling) \(isHeaderSound) \(isLong)")
        }
    }

    /// Adjacent block headers, each with a claim of many entries that don't exist.
    @Test func blocksOfKeysThatOverlap() throws {
        let (snapshot, _) = HostileStore.snapshot(upTo: 5, ["a"])
        var bytes = Array(snapshot[..<4_136])
        for _ in 0..<20_000 {
            var header = [UInt8]("HWKB".utf8)
            let tag = ChecksumTag(salt: HostileLog.salt, offset: UInt64(bytes.count))
            header.append(number: 1 as UInt32)
            header.append(number: 4_096 as UInt64)
            header.append(number: 131_000 as UInt32)
            header.append(number: 0 as UInt32)
            header.append(number: 7 as UInt32)
            header.append(number: tag.apply(CRC32C.checksum(header)))
            bytes += header
        }
        let footer = SnapshotFooter(
            recordCount: 1, keySectionOffset: 4_136, blockCount: 1, keyBytes: 1, expiringCount: 0)
        bytes += footer.encoded(salt: HostileLog.salt, offset: UInt64(bytes.count))
        try Self.check(try SparseStore([(StoreFileName.snapshot(5), bytes)]))
    }

    // MARK: - Memory

    /// The records of a large damaged part are returned in several pieces, without a loss between two pieces.
    @Test func manyRecordsInOneDamagedPart() throws {
        let count: UInt64 = 300_000
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(count) * 40)
        var log = HostileLog()
        for number in 0..<count {
            let key = [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8), 0, 0, 0, 0, 0, 0]
            bytes += HostileLog.record(
                keyLength: 2, valueLength: 0, distance: number, payload: key,
                at: UInt64(log.bytes.count + 48 + bytes.count))
        }
        log.commit(recordCount: UInt32(count)) { _ in bytes }
        // In the header of the commit.
        log.bytes[4_100] ^= 1
        let fileSystem = try HostileLog.fileSystem([(1, log)])
        var (records, partial) = (0 as UInt64, 0)
        try LogReading.run("/store", fileSystem: fileSystem, patience: .none) { item in
            if case .record(let record) = item {
                #expect(record.sequence == records + 1)
                records += 1
                if record.state == .partial { partial += 1 }
            }
            return true
        }
        #expect(records == count && partial == 0)
        let report = try Repair.plan("/store", fileSystem: fileSystem)
        #expect(report.batches == count && report.losses.isEmpty)
    }

    /// The same in a snapshot without its key blocks.
    @Test func manyRecordsOfASnapshotWithoutKeys() throws {
        let count = 300_000
        var bytes = Array(HostileStore.snapshot(upTo: 5, ["a"]).bytes[..<4_096])
        for index in 0..<count {
            let key = [UInt8](withUnsafeBytes(of: UInt64(index + 1).bigEndian) { Array($0) })
            bytes += HostileLog.record(keyLength: 8, valueLength: 0, payload: key, at: UInt64(bytes.count))
        }
        let fileSystem = try DirectoryImage(files: [(StoreFileName.snapshot(5), bytes)]).inMemory()
        var records = 0
        try LogReading.run("/store/" + StoreFileName.snapshot(5), fileSystem: fileSystem, patience: .none) { item in
            if case .record = item { records += 1 }
            return true
        }
        #expect(records == count)
    }
}

/// A store's files in a temporary directory on a real file system, which supports holes.
private struct SparseStore {
    let path: String
    private let fileSystem = POSIXFileSystem()

    init(_ files: [(name: String, bytes: [UInt8])]) throws {
        path = try TemporaryDirectory.make("sparse")
        for (name, bytes) in files {
            try fileSystem.openFile(path + "/" + name, for: .create).close()
            try write(bytes, to: name, at: 0)
        }
    }

    func write(_ bytes: [UInt8], to name: String, at offset: UInt64) throws {
        let file = try fileSystem.openFile(path + "/" + name, for: .readWrite)
        try bytes.withUnsafeBytes { try file.writeFully($0, at: offset) }
        try file.close()
    }

    func extend(_ name: String, to size: UInt64) throws {
        let file = try fileSystem.openFile(path + "/" + name, for: .readWrite)
        try file.truncate(to: size)
        try file.close()
    }

    func existingBytes() throws -> UInt64 {
        var existing: UInt64 = 0
        for name in try fileSystem.contents(ofDirectory: path) {
            let file = try fileSystem.openFile(path + "/" + name, for: .read)
            var at: UInt64 = 0
            while let part = try file.nextData(from: at) {
                existing += UInt64(part.count)
                at = part.upperBound
            }
            try file.close()
        }
        return existing
    }

    func remove() { TemporaryDirectory.remove(path) }
}
