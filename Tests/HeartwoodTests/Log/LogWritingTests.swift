import HeartwoodCampaignSupport
import HeartwoodConcurrency
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// Commits reach the log as stores to a mapping, or by calls.
@Suite struct LogWritingTests {
    static let ways = [LogWriting.mapped, .calls]

    private let disk = SimulatedDisk(seed: 5)

    private func open(
        _ way: LogWriting = .mapped, _ configure: (inout Store.Configuration) -> Void = { _ in }
    ) async throws -> Store {
        var configuration = Store.Configuration(in: disk, segmentBytes: 1 << 20)
        configuration.logWriting = way
        configure(&configuration)
        return try await Store.open(at: "/store", configuration: configuration)
    }

    /// Settings with which the log writer rotates, preallocates and syncs all the time.
    private static func busy(_ configuration: inout Store.Configuration) {
        configuration.segmentBytes = 64 << 10
        configuration.commitBufferBytes = 64 << 10
        configuration.timing.sync = 100_000
        configuration.timing.mark = 50_000
    }

    /// The values that would be found if the process died now.
    private func found(_ keys: [String]) async throws -> [[UInt8]?] {
        let image = SimulatedDisk(image: disk.image)
        let store = try await Store.open(at: "/store", configuration: Store.Configuration(in: image))
        let values = try keys.map { try store.get($0) }
        try await store.close()
        return values
    }

    private func calls(_ operations: FileSystemError.Operation..., since number: Int) -> [DiskCall] {
        disk.trace.calls.filter { $0.number >= number && operations.contains($0.operation) }
    }

    /// A `.written` put makes no call and doesn't wait for the log writer, and survives the death of the process.
    @Test func aWrittenPutMakesNoCall() async throws {
        let store = try await open { $0.timing = .never }
        // The log writer writes this one, and then maps the segment.
        try await store.put("first", "1", durability: .written)
        store.settle()
        let start = disk.trace.callCount
        for number in 0..<100 {
            let sequence = try await store.put("k", "\(number)", durability: .written)
            #expect(try store.entry("k")?.sequence == sequence)
        }
        #expect(calls(.write, .sync, .map, .allocate, since: start).isEmpty)
        #expect(calls(.store, since: start).count == 200, "for each, the record and then the header")
        #expect(store.statistics.logWriting == .mapped)
        #expect(try await found(["k", "first"]) == [[UInt8]("99".utf8), [0x31]])
        try await store.close()
    }

    @Test func withCallsEveryCommitIsAWrite() async throws {
        for allows in [true, false] {
            disk.allowsMapping = allows
            let store = try await open(allows ? .calls : .mapped) { $0.timing = .never }
            try await store.put("first", "1", durability: .written)
            store.settle()
            let start = disk.trace.callCount
            for number in 0..<20 { try await store.put("k", "\(number)", durability: .written) }
            #expect(calls(.write, since: start).count == 20 && calls(.store, .map, since: start).isEmpty)
            #expect(store.statistics.logWriting == .calls)
            #expect(try await found(["k"]) == [[UInt8]("19".utf8)])
            try await store.close()
        }
    }

    @Test(arguments: ways)
    func batchesAndRemovalsAreWrittenTheSameWay(way: LogWriting) async throws {
        let store = try await open(way)
        try await store.put("a", "1", durability: .written)
        try await store.write(durability: .written) { batch in
            batch.put("b", "2")
            batch.put("c", "3")
        }
        try await store.remove("a", durability: .written)
        try await store.transaction(durability: .written) { transaction in try transaction.put("d", "4") }
        let expected: [[UInt8]?] = [nil, [0x32], [0x33], [0x34]]
        #expect(try ["a", "b", "c", "d"].map { try store.get($0) } == expected)
        #expect(try await found(["a", "b", "c", "d"]) == expected)
        try await store.close()
        let again = try await open(way)
        #expect(again.recoveryReport.tail == .closed)
        #expect(try ["a", "b", "c", "d"].map { try again.get($0) } == expected)
        try await again.close()
    }

    /// Earlier buffered writes reach the kernel too: what survives is a prefix.
    @Test(arguments: ways)
    func earlierBufferedWritesAreWrittenToo(way: LogWriting) async throws {
        let store = try await open(way) { $0.timing = .never }
        try await store.put("first", "1", durability: .written)
        try await store.put("buffered", "1", durability: .buffered)
        #expect(try await found(["buffered"]) == [nil])
        let before = store.statistics.commits
        try await store.put("written", "1", durability: .written)
        #expect(store.statistics.commits == before + 1)
        #expect(store.statistics.batches == 3)
        #expect(try await found(["buffered", "written"]) == [[0x31], [0x31]])
        try await store.close()
    }

    /// A reader that reads while the commit is being written or synced finds its records in memory.
    @Test(arguments: ways, [Durability.written, .synced])
    func aCommitInProgressIsReadFromMemory(way: LogWriting, durability: Durability) async throws {
        let store = try await open(way) { $0.timing.write = .max }
        try await store.put("first", "1", durability: durability)
        try await store.put("k", "seen at once", durability: .buffered)
        let found = Locked<[[UInt8]?]>([])
        disk.observe { [weak store] operation, _ in
            guard operation == .write || operation == .sync else { return }
            found.withLock { $0.append(try? store?.get("k")) }
        }
        try await store.put("last", "1", durability: durability)
        try await store.sync()
        disk.observe { _, _ in }
        let all = found.withLock { $0 }
        #expect(!all.isEmpty && all.allSatisfy { $0 == [UInt8]("seen at once".utf8) })
        try await store.close()
    }

    /// Values that are kept outside the commit, and batches larger than a segment, are written by calls. Later writes
    /// wait for that. If the process dies, they are found with everything before them.
    @Test(arguments: ways)
    func largeValuesAreWrittenInOrder(way: LogWriting) async throws {
        let store = try await open(way) {
            $0.timing = .never
            $0.segmentBytes = 64 << 20
        }
        // These let the log writer prepare several megabytes for commits to be stored to.
        for number in 0..<1_000 {
            try await store.put("small\(number % 10)", [UInt8](repeating: 0, count: 5_000), durability: .written)
            if number % 50 == 0 { store.settle() }
        }
        var expected: [[UInt8]] = []
        for number in 0..<30 {
            let length = [10, 300_000, 100, 2_000_000, 5_000][number % 5]
            expected.append([UInt8](repeating: UInt8(number), count: length))
            let durability: Durability = number % 3 == 0 ? .buffered : .written
            try await store.put("k\(number)", expected[number], durability: durability)
            #expect(try store.get("k\(number)") == expected[number])
            guard durability == .written else { continue }
            #expect(try await found((0...number).map { "k\($0)" }) == expected.map { $0 })
        }
        try await store.write(durability: .written) { batch in
            for number in 0..<3_000 { batch.put("many\(number)", [UInt8](repeating: 1, count: 1_000)) }
        }
        #expect(try await found(["many0", "many2999"]).allSatisfy { $0?.count == 1_000 })
        try await store.close()
    }

    /// Tasks write with different durabilities at the same time: each write has its durability when the call returns.
    @Test(arguments: ways)
    func concurrentDurabilities(way: LogWriting) async throws {
        let store = try await open(way, Self.busy)
        try await concurrently(0..<6) { task in
            for number in 0..<300 {
                let durability = [Durability.buffered, .written, .synced][(task + number) % 3]
                let sequence = try await store.put("\(task)", "\(number)", durability: durability)
                guard durability != .buffered else { continue }
                #expect(store.statistics.visibleSequence >= sequence)
                if durability == .synced { #expect(store.statistics.syncedSequence >= sequence) }
            }
        }
        #expect(store.statistics.lastSequence == 1_800 && store.statistics.rotations > 2)
        try await store.close()
        let again = try await open(way)
        #expect(again.recoveryReport.records == 1_800)
        for task in 0..<6 { #expect(try again.get("\(task)") == [UInt8]("299".utf8)) }
        try await again.close()
    }

    /// Starts a `.written` put when the log writer is about to make its `count`th call of this kind.
    ///
    /// - Returns: Whether the put was stored at that moment.
    private func stores(
        _ store: Store, atThe count: Int = 1, _ operation: FileSystemError.Operation, of cause: () async throws -> Void
    ) async throws -> Bool {
        let seen = Locked(0)
        let put = Locked<Task<SequenceNumber, any Error>?>(nil)
        let isStored = Locked(false)
        disk.observe { [weak disk, weak store] found, _ in
            let isIt = seen.withLock { seen in
                if found == operation { seen += 1 }
                return found == operation && seen == count
            }
            guard isIt, let disk, let store else { return }
            let (start, before) = (disk.trace.callCount, store.statistics.lastSequence)
            put.withLock { $0 = Task { try await store.put("during", "1", durability: .written) } }
            spin { store.statistics.lastSequence > before }
            isStored.withLock { $0 = disk.trace.calls.contains { $0.number >= start && $0.operation == .store } }
        }
        try await cause()
        _ = try await #require(put.withLock { $0 }).value
        disk.observe { _, _ in }
        return isStored.withLock { $0 }
    }

    /// A store whose segment is mapped.
    private func openMapped(_ configure: (inout Store.Configuration) -> Void = { _ in }) async throws -> Store {
        let store = try await open {
            $0.timing = .never
            configure(&$0)
        }
        for number in 0..<2 { try await store.put("first", "\(number)", durability: .written) }
        store.settle()
        try #require(store.statistics.logWriting == .mapped)
        return store
    }

    @Test func nothingIsStoredAfterACommitInProgress() async throws {
        let store = try await openMapped()
        try await store.put("buffered", "1", durability: .buffered)
        #expect(try await !stores(store, .write) { try await store.sync() })
        #expect(try await found(["buffered", "during"]) == [[0x31], [0x31]])
        try await store.close()
    }

    @Test func nothingIsStoredAfterAMarkInProgress() async throws {
        let store = try await openMapped { $0.timing.mark = 1 }
        // The first sync is that of the commit.
        let isStored = try await stores(store, atThe: 2, .sync) {
            try await store.put("synced", "1")
            store.settle()
        }
        #expect(!isStored)
        #expect(try await found(["synced", "during"]) == [[0x31], [0x31]])
        try await store.close()
    }

    /// The log writer writes zeros ahead of synced commits, but never where a commit may be stored meanwhile.
    @Test(arguments: 1...4)
    func noZerosAreWrittenOverWhatIsStored(count: Int) async throws {
        let store = try await openMapped()
        _ = try await stores(store, atThe: count, .write) {
            for number in 0..<20 { try await store.put("synced\(number)", [UInt8](repeating: 1, count: 10_000)) }
        }
        #expect(try await found(["synced19", "during"]).allSatisfy { $0 != nil })
        try await store.close()
    }

    @Test func nothingIsStoredToASegmentWithoutAName() async throws {
        let store = try await openMapped { $0.segmentBytes = 64 << 10 }
        let isStored = try await stores(store, .rename) {
            for number in 0..<130 {
                try await store.put("k\(number)", [UInt8](repeating: 1, count: 500), durability: .written)
                // The next segment is mapped before it is needed.
                store.settle()
            }
        }
        #expect(!isStored && store.statistics.rotations > 1)
        #expect(try await found(["during"]) == [[0x31]])
        try await store.close()
    }

    /// A sync mark that covered it would turn a tail torn by a power loss into corruption.
    @Test func whatIsStoredDuringASyncIsNotCalledSynced() async throws {
        let store = try await openMapped()
        try await store.put("buffered", "1", durability: .buffered)
        #expect(try await stores(store, .sync) { try await store.sync() })
        let sequence = store.statistics.lastSequence
        #expect(store.statistics.syncedSequence == sequence - 1)
        let (synced, written) = store.log.withState { ($0.commits.syncedEnd, $0.commits.writtenEnd) }
        #expect(synced < written)
        try await store.sync()
        #expect(store.statistics.syncedSequence == sequence)
        try await store.close()
    }

    /// On the real file system, a copy of the open store has everything that was stored.
    @Test func theRealFileSystemIsMapped() async throws {
        let directory = TemporaryDirectory()
        var configuration = Store.Configuration()
        configuration.timing = .never
        let store = try await Store.open(at: directory.path("store"), configuration: configuration)
        for number in 0..<10_000 {
            try await store.put("k\(number)", [UInt8](repeating: 7, count: 1_000), durability: .written)
        }
        let found = try await Store.open(at: directory.copy(directory.path("store"), to: "copy"))
        #expect(found.recoveryReport.records == 10_000)
        try await found.close()
        try await store.close()
    }
}
