import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// Asynchronous reads return what synchronous ones do, whether or not the disk must be waited for.
@Suite struct FetchTests {
    enum Disk: CaseIterable, Sendable {
        /// All records are in the system's memory.
        case cached
        /// None is, or the system can't tell.
        case slow
        /// Every third one isn't.
        case partlyCached
    }

    private let directory = TemporaryDirectory()

    private func files(_ disk: Disk, _ base: any FileSystem = InMemoryFileSystem()) -> PatientFileSystem {
        PatientFileSystem(base) { number in
            switch disk {
            case .cached: false
            case .slow: true
            case .partlyCached: number % 3 == 2
            }
        }
    }

    private func configuration(_ files: any FileSystem) -> Store.Configuration {
        var configuration = Store.Configuration(in: files, segmentBytes: 256 << 10, commitBufferBytes: 64 << 10)
        configuration.compaction = .manual
        configuration.compression = .zlib(level: 1, threshold: 512)
        // Buffered writes stay in the buffer, however slow the machine is.
        configuration.timing.write = .max
        return configuration
    }

    /// Values of many lengths; some are compressed, and some are too long to be copied on the caller's thread.
    private func value(_ number: Int) -> [UInt8] {
        switch number {
        case 17: [UInt8](repeating: 1, count: 300_000)
        case 30, 54: ValuePattern(identity: UInt64(number), length: 70_000).bytes
        default:
            number % 5 == 4
                ? [UInt8](repeating: UInt8(number), count: 5_000)
                : ValuePattern(identity: UInt64(number), length: number * 97 % 6_000).bytes
        }
    }

    /// 60 keys in files, 10 that aren't written yet.
    private func open(_ files: any FileSystem, at path: String, compacts: Bool) async throws -> Store {
        var store = try await Store.open(at: path, configuration: configuration(files))
        for number in 0..<60 { try await store.put("key/\(100 + number)", value(number), durability: .buffered) }
        if compacts { try await store.compact() }
        try await store.close()
        store = try await Store.open(at: path, configuration: configuration(files))
        for number in 60..<70 { try await store.put("key/\(100 + number)", value(number), durability: .buffered) }
        return store
    }

    @Test(arguments: Disk.allCases, [false, true])
    func fetchesReturnWhatReadsReturn(disk: Disk, compacts: Bool) async throws {
        let store = try await open(files(disk), at: "/store", compacts: compacts)
        let keys = (95..<175).map { "key/\($0)" }
        let view = try store.readView()
        for key in keys {
            let entry = try store.entry(key)
            #expect(try store.get(key) == entry?.value)
            #expect(try await store.fetch(key) == entry?.value)
            #expect(try await store.fetchEntry(key) == entry)
            #expect(try await view.fetch(key) == entry?.value)
            #expect(try await view.fetchEntry(key) == entry)
            try await store.transaction { transaction async throws in
                #expect(try await transaction.fetch(key) == entry?.value)
                #expect(try await transaction.fetchEntry(key) == entry)
            }
        }
        #expect(try store.get("key/112") == value(12) && store.get("key/165") == value(65))
        let values = try view.get(all: keys.reversed())
        #expect(values.count { $0 != nil } == 70)
        #expect(try await store.fetchEntries(of: keys.reversed()).map { $0?.value } == values)
        #expect(try await view.fetchEntries(of: keys.reversed()).map { $0?.value } == values)
        try await store.transaction { transaction async throws in
            #expect(try transaction.get(all: keys.reversed()) == values)
            #expect(try await transaction.fetchEntries(of: keys.reversed()).map { $0?.value } == values)
        }
        for reversed in [false, true] {
            for limit in [1, 16, 35, 70, 71] {
                let page = try view.entries(in: .all, reversed: reversed, limit: limit)
                #expect(page.entries.count == min(limit, 70))
                #expect(try await store.fetchEntries(in: .all, reversed: reversed, limit: limit) == page)
                #expect(try await view.fetchEntries(in: .all, reversed: reversed, limit: limit) == page)
                try await store.transaction { transaction async throws in
                    #expect(try await transaction.fetchEntries(in: .all, reversed: reversed, limit: limit) == page)
                }
            }
        }
        try await store.close()
    }

    @Test func onlyReadsOfTheDiskLeaveTheThread() async throws {
        let keys = (100..<110).map { "key/\($0)" }
        let cached = files(.cached)
        var store = try await open(cached, at: "/store", compacts: false)
        #expect(try await cached.counting { _ = try await store.fetch(keys[1]) } == .init(immediate: 1))
        #expect(try await cached.counting { _ = try await store.fetchEntry(keys[1]) } == .init(immediate: 1))
        #expect(try await cached.counting { _ = try await store.fetchEntries(of: keys) } == .init(immediate: 10))
        #expect(try await cached.counting { _ = try await store.fetch("key/165") } == .init())
        #expect(try await cached.counting { _ = try await store.fetch("absent") } == .init())
        #expect(try await cached.counting { _ = try await store.fetchEntries(limit: 10) }.waiting == 0)
        // Long values, and those that are long once decompressed, are copied on another thread.
        #expect(try await cached.counting { _ = try await store.fetch("key/130") } == .init(waiting: 1))
        #expect(try await cached.counting { _ = try await store.fetch("key/117") } == .init(waiting: 1, immediate: 1))
        try await store.close()

        let slow = files(.slow)
        store = try await open(slow, at: "/store", compacts: false)
        #expect(try await slow.counting { _ = try await store.fetch(keys[1]) } == .init(waiting: 1, refused: 1))
        #expect(
            try await slow.counting { _ = try await store.fetchEntries(of: keys) } == .init(waiting: 10, refused: 1))
        try await store.close()
    }

    /// Access to a mapping may wait for the disk, so asynchronous reads don't use it on the caller's thread.
    @Test func aMappedFileIsReadByCalls() async throws {
        let files = files(.cached, POSIXFileSystem())
        var configuration = configuration(files)
        configuration.valueReading = .mapped
        var store = try await open(files, at: directory.path("store"), compacts: true)
        try await store.close()
        store = try await Store.open(at: directory.path("store"), configuration: configuration)
        let gets = try await files.counting { _ = try store.get("key/101") }
        #expect(gets == .init())
        let fetches = try await files.counting { () async throws in
            #expect(try await store.fetch("key/101") == value(1))
            #expect(try await store.fetchEntries(limit: 2).entries.map(\.value) == [value(0), value(1)])
        }
        #expect(fetches == .init(immediate: 2))
        try await store.close()
    }

    @Test func failedFetchesAreErrors() async throws {
        let disk = SimulatedDisk()
        let store = try await open(disk, at: "/store", compacts: false)
        disk.inject(Fault(.read, .error(ErrorNumber.EIO), times: .max))
        await expectError(.inputOutput) { _ = try await store.fetch("key/101") }
        await expectError(.inputOutput) { _ = try await store.fetchEntry("key/101") }
        await expectError(.inputOutput) { _ = try await store.fetchEntries(of: ["key/101"]) }
        await expectError(.inputOutput) { _ = try await store.fetchEntries(limit: 1) }
        disk.heal()
        await expectError(.invalidArgument) { _ = try await store.fetch("") }
        await expectError(.invalidArgument) { _ = try await store.fetchEntries(of: ["a", ""]) }
        await expectError(.invalidArgument) { _ = try await store.fetchEntries(limit: 0) }
        try await store.close()
        await expectError(.closed) { _ = try await store.fetch("key/101") }
        await expectError(.closed) { _ = try await store.fetchEntry("key/101") }
        await expectError(.closed) { _ = try await store.fetchEntries(of: ["key/101"]) }
        await expectError(.closed) { _ = try await store.fetchEntries(limit: 1) }
    }

    /// A loop of fetches that never wait lets other tasks of its actor run.
    @Test @MainActor func aLoopOfFetchesYields() async throws {
        let store = try await open(files(.cached), at: "/store", compacts: false)
        var isOver = false
        let other = Task { @MainActor in isOver = true }
        for _ in 0..<1_000_000 where !isOver { _ = try await store.fetch("key/101") }
        #expect(isOver)
        await other.value
        try await store.close()
    }
}
