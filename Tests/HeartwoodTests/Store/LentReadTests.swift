import HeartwoodCampaignSupport
import HeartwoodConcurrency
import HeartwoodFileSystem
import Testing

@testable import Heartwood

/// Lent reads, beside what other reads show too: the writes of a transaction, and closures that keep nothing back.
@Suite struct LentReadTests {
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

    @Test func aTransactionLendsItsOwnWrites() async throws {
        let store = try await open(.positioned)
        try await store.put("a", "old")
        try await store.put("b", "old")
        let soon = Timestamp(milliseconds: clock.now().milliseconds + 1)
        try await store.transaction { transaction in
            try transaction.put("a", "new", expires: .at(soon))
            try transaction.remove("b")
            try transaction.put("c", "gone", expires: .at(clock.now()))
            let found = try transaction.withEntry("a") { value, sequence, expires in
                value.withUnsafeBytes { [UInt8]($0) } == Array("new".utf8) && sequence == 0 && expires == soon
            }
            #expect(found == true)
            for key in ["b", "c"] { #expect(try transaction.withEntry(key) { value, _, _ in value.byteCount } == nil) }
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
                for _ in 0..<12_000 where !mayEnd.withLock({ $0 }) { pauseThread(nanoseconds: 5_000_000) }
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
