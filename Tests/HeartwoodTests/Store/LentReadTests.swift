import HeartwoodCampaignSupport
import HeartwoodConcurrency
import HeartwoodFileSystem
import Testing

@testable import Heartwood

/// Lent reads: what they show, and that their closures keep nothing back.
@Suite struct LentReadTests {
    private struct Lent: Equatable {
        var value: [UInt8]
        var sequence: SequenceNumber
        var expires: Timestamp?
    }

    private func lent(_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) -> Lent {
        Lent(value: value.withUnsafeBytes { [UInt8]($0) }, sequence: sequence, expires: expires)
    }

    private let clock = ManualClock(milliseconds: 1_700_000_000_000)
    private let directory = TemporaryDirectory()

    private func open(_ reading: ValueReading) async throws -> Store {
        var configuration = Store.Configuration(
            in: POSIXFileSystem(), segmentBytes: 16 << 10, commitBufferBytes: 64 << 10)
        configuration.clock = clock
        configuration.compaction = .manual
        configuration.compression = .zlib(level: 1, threshold: 512)
        configuration.valueReading = reading
        return try await Store.open(at: directory.path("store"), configuration: configuration)
    }

    /// Short, long, empty and compressible values.
    private let values: [[UInt8]] =
        [0, 7, 900, 6_000, 40_000].map { ValuePattern(identity: UInt64($0) + 1, length: $0).bytes }
        + [[UInt8](repeating: 7, count: 30_000)]

    @Test(arguments: [ValueReading.positioned, .mapped])
    func allFormsShowTheEntry(reading: ValueReading) async throws {
        var store = try await open(reading)
        var expected: [Lent] = []
        for (number, value) in values.enumerated() {
            let expires = number % 2 == 0 ? nil : Timestamp(milliseconds: clock.now().milliseconds + 1_000)
            let sequence = try await store.put(
                "key \(number)", value, expires: expires.map { .at($0) } ?? .never, durability: .buffered)
            expected.append(Lent(value: value, sequence: sequence, expires: expires))
        }
        try await expect(expected, in: store)
        try await store.close()
        store = try await open(reading)
        try await expect(expected, in: store)
        try await store.compact()
        try await expect(expected, in: store)
        clock.set(clock.now().milliseconds + 1_000)
        #expect(try store.withEntry("key 1", lent) == nil)
        try await store.close()
    }

    private func expect(_ expected: [Lent], in store: Store) async throws {
        let view = try store.readView()
        for (number, entry) in expected.enumerated() {
            let key = "key \(number)"
            #expect(try store.withEntry(key, lent) == entry)
            #expect(try view.withEntry(key, lent) == entry)
            let length = entry.value.count
            #expect(try store.withEntry(key) { value, _, _ in value.byteCount } == length)
            #expect(try view.withEntry(key) { value, _, _ in value.byteCount } == length)
            try await store.transaction { transaction throws in
                #expect(try transaction.withEntry(key, lent) == entry)
                #expect(try transaction.withEntry(key) { value, _, _ in value.byteCount } == length)
            }
        }
        #expect(try store.withEntry("absent", lent) == nil)
        #expect(try view.withEntry("absent", lent) == nil)
        try await store.transaction { transaction throws in #expect(try transaction.withEntry("absent", lent) == nil) }
    }

    @Test func aTransactionLendsItsOwnWrites() async throws {
        let store = try await open(.positioned)
        try await store.put("a", "old")
        try await store.put("b", "old")
        let soon = Timestamp(milliseconds: clock.now().milliseconds + 1)
        try await store.transaction { transaction in
            try transaction.put("a", "new", expires: .at(soon))
            try transaction.remove("b")
            try transaction.put("c", "gone", expires: .at(clock.now()))
            #expect(
                try transaction.withEntry("a", lent) == Lent(value: Array("new".utf8), sequence: 0, expires: soon))
            #expect(try transaction.withEntry("b", lent) == nil)
            #expect(try transaction.withEntry("c", lent) == nil)
        }
        try await store.close()
    }

    /// A key that a transaction has read by lending is a condition of its commit.
    @Test func aLentReadOfATransactionIsACondition() async throws {
        let store = try await open(.positioned)
        var runs = 0
        try await store.transaction { transaction in
            runs += 1
            _ = try transaction.withEntry("a") { value, _, _ in value.byteCount }
            if runs == 1 { try await Task.detached { _ = try await store.put("a", "1") }.value }
            try transaction.put("b", "2")
        }
        #expect(runs == 2)
        try await store.close()
    }

    /// While a closure runs, a compaction ends and removes the file from which its bytes are.
    @Test(arguments: [ValueReading.positioned, .mapped], [7, 6_000])
    func aSlowClosureDoesNotDelayTheRemovalOfFiles(reading: ValueReading, length: Int) async throws {
        var store = try await open(reading)
        let value = ValuePattern(identity: 1, length: length)
        try await store.put("key", value.bytes)
        for number in 0..<100 { try await store.put("other \(number)", value.bytes, durability: .buffered) }
        try await store.close()
        store = try await open(reading)
        let reader = store
        let before = TemporaryDirectory.segments(of: directory.path("store"))
        let isLent = Locked(false)
        let mayEnd = Locked(false)
        let found = Locked<[UInt8]?>(nil)
        let thread = try startThread(name: "lent read") {
            _ = try? reader.withEntry("key") { bytes, _, _ in
                isLent.withLock { $0 = true }
                // Ends in any case, so that the test fails instead of hanging.
                for _ in 0..<60_000 where !mayEnd.withLock({ $0 }) { pauseThread(nanoseconds: 5_000_000) }
                if mayEnd.withLock({ $0 }) { found.withLock { $0 = bytes.withUnsafeBytes { [UInt8]($0) } } }
            }
        }
        while !isLent.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
        #expect(try await store.compact().pinnedFiles == 0)
        let after = Set(TemporaryDirectory.segments(of: directory.path("store")))
        #expect(after.isDisjoint(with: before))
        mayEnd.withLock { $0 = true }
        thread.join()
        let bytes = try #require(found.withLock { $0 }, "the closure ended before the files were removed")
        #expect(value.matches(bytes))
        try await store.close()
    }

    /// Neither a result nor an error leaves an epoch pin behind, nor releases one twice.
    @Test func everyLentReadReleasesItsPinOnce() async throws {
        struct Refusal: Error {}
        let store = try await open(.positioned)
        try await store.put("key", "value")
        _ = try store.withEntry("key") { value, _, _ in value.byteCount }
        _ = try store.withEntry("absent") { value, _, _ in value.byteCount }
        #expect(throws: Refusal.self) { try store.withEntry("key") { _, _, _ in throw Refusal() } }
        await expectError(.invalidArgument) { _ = try store.withEntry("") { value, _, _ in value.byteCount } }
        var tries = 0
        let areGone = store.log.index.waitForReaders {
            tries += 1
            return tries > 10_000
        }
        #expect(areGone)
        try await store.close()
        await expectError(.closed) { _ = try store.withEntry("key") { $2 } }
    }
}
