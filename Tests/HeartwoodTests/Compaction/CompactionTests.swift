import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// A compaction changes the files of a store, and nothing that users see.
@Suite struct CompactionTests {
    private let fixture = CompactionFixture()

    @Test func theLogBecomesASnapshot() async throws {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<300)
        try await fixture.fill(store, 0..<100, round: 1)
        try await store.remove("key/299")
        #expect(fixture.logs.count > 5)
        let report = try await store.compact()
        #expect(report.snapshot?.keys == 299)
        #expect(report.snapshot?.sequence == 401)
        #expect(report.pinnedFiles == 0)
        #expect(report.removedFiles >= 5)
        #expect(fixture.snapshots == ["0000000000000191.snapshot"])
        #expect(fixture.logs == ["0000000000000192.log"])
        try fixture.expect(store, 0..<100, round: 1)
        try fixture.expect(store, 100..<299)
        #expect(try store.get("key/299") == nil)
        #expect(try store.entry("key/7")?.sequence == 308)
        // Later writes, and another opening.
        try await fixture.fill(store, 50..<60, round: 2)
        try await store.close()
        let again = try await fixture.open()
        #expect(again.recoveryReport.snapshot?.keys == 299)
        #expect(again.recoveryReport.records == 10)
        #expect(again.recoveryReport.tail == .closed)
        #expect(again.recoveryReport.lastSequence == 411)
        #expect(again.statistics.lastSequence == 411)
        try fixture.expect(again, 0..<50, round: 1)
        try fixture.expect(again, 50..<60, round: 2)
        try fixture.expect(again, 60..<100, round: 1)
        try fixture.expect(again, 100..<299)
        #expect(try again.scan().keys.count(where: { _ in true }) == 299)
        #expect(again.log.index.checkInvariants() == nil)
        try await again.close()
    }

    @Test func withoutWritesThereIsNothingToCompact() async throws {
        var store = try await fixture.open()
        let report = try await store.compact()
        #expect(report.snapshot == nil && report.removedFiles == 0)
        try await store.put("a", "b")
        let first = try await store.compact()
        #expect(first.snapshot?.keys == 1)
        // The same holds just after a compaction, and after an opening.
        for _ in 0..<3 {
            let report = try await store.compact()
            #expect(report.snapshot == first.snapshot && report.removedFiles == 0)
            try await store.close()
            store = try await fixture.open()
        }
        #expect(fixture.snapshots.count == 1 && fixture.logs.count == 1)
        try await store.close()
    }

    /// Records that expire leave the index and the disk without a call, although no other write takes their place.
    @Test func aStoreWhoseRecordsExpireStaysSmall() async throws {
        let store = try await fixture.open { $0.compaction.minimumLogBytes = 64 << 10 }
        // Much longer than it takes: a compaction that isn't due never comes.
        let limit = ContinuousClock.now + .seconds(60)
        for second in 0..<400 {
            fixture.clock.set(1_700_000_000_000 + UInt64(second) * 1_000)
            var batch = store.makeBatch()
            for number in 0..<10 {
                batch.put(
                    "\(second)/\(number)", [UInt8](repeating: 7, count: 200), expires: .after(.seconds(20)))
            }
            try await store.write(batch)
            while store.statistics.logBytes > 200_000, .now < limit { await Task.yield() }
        }
        #expect(store.statistics.logBytes <= 200_000)
        // What was written since the last compaction, and the 20 seconds before it.
        #expect(store.statistics.keys < 1_200)
        try await store.close()
    }

    @Test func whatHasExpiredIsGoneForGood() async throws {
        let store = try await fixture.open()
        for number in 0..<20 {
            try await store.put(
                "e/\(number)", "value",
                expires: .at(Timestamp(milliseconds: 1_700_000_000_000 + UInt64(number) * 1_000)))
        }
        try await store.put("stays", "value")
        fixture.clock.set(1_700_000_000_000 + 10_000)
        let report = try await store.compact()
        #expect(report.snapshot?.keys == 10)
        #expect(store.statistics.keys == 10)
        // Setting the clock back restores nothing.
        fixture.clock.set(1_700_000_000_000)
        #expect(try store.get("e/5") == nil)
        #expect(try store.get("e/11") != nil)
        try await store.close()
        let again = try await fixture.open()
        #expect(try again.get("e/5") == nil)
        #expect(try again.get("e/11") != nil)
        #expect(try again.entry("e/11")?.expires == Timestamp(milliseconds: 1_700_000_000_000 + 11_000))
        // Without writes since, newly expired keys can still be compacted away.
        fixture.clock.advance(by: 5_000)
        #expect(try await again.compact().snapshot?.keys == 5)
        #expect(fixture.snapshots.count == 1)
        #expect(try again.get("stays") != nil)
        try await again.close()
        let last = try await fixture.open()
        #expect(last.statistics.keys == 5)
        try await last.close()
    }

    /// The log of the removals is too short to be compacted for itself.
    @Test(.timeLimit(.minutes(5))) func removedValuesLeaveTheDisk() async throws {
        let (events, sink) = AsyncStream<StoreEvent>.makeStream()
        let store = try await fixture.open {
            $0.compaction.minimumLogBytes = 60 << 10
            $0.observer = { sink.yield($0) }
        }
        for number in 0..<10 { try await store.put("large/\(number)", [UInt8](repeating: 7, count: 30_000)) }
        try await store.compact()
        // Without the files of the compaction that the log has begun.
        try await store.compact()
        let before = store.statistics.compaction.completed
        try await store.remove(in: .all)
        #expect(store.statistics.logBytes < 10 << 10)
        for await event in events {
            if case .compacted = event, store.statistics.compaction.completed > before { break }
        }
        #expect(store.statistics.compaction.snapshot?.keys == 0)
        #expect(store.statistics.snapshotBytes < 10 << 10)
        try await store.close()
    }

    /// Large enough for a second thread, and for many blocks and leaves.
    @Test func aLargeSnapshotIsOpened() async throws {
        let configuration = Store.Configuration(in: InMemoryFileSystem())
        var store = try await Store.open(at: fixture.path, configuration: configuration)
        let count = 60_000
        let key = { (number: Int) in
            "key/\(String(number * 7_919 % count, radix: 36))/and some more of it/\(number % 3)"
        }
        for start in stride(from: 0, to: count, by: 1_000) {
            try await store.write(durability: .buffered) { batch in
                for number in start..<start + 1_000 {
                    let expires: Expiry = number % 50 == 0 ? .at(Timestamp(milliseconds: 9_000_000_000_000)) : .never
                    batch.put(key(number), "\(number)", expires: expires)
                }
            }
        }
        try await store.compact()
        try await store.close()
        store = try await Store.open(at: fixture.path, configuration: configuration)
        #expect(store.recoveryReport.snapshot?.keys == count)
        #expect(store.log.index.checkInvariants() == nil)
        for number in stride(from: 0, to: count, by: 97) {
            let entry = try #require(try store.entry(key(number)))
            #expect(entry.value == Array("\(number)".utf8) && (entry.expires != nil) == (number % 50 == 0))
        }
        var previous: [UInt8] = []
        var seen = 0
        for key in try store.scan().keys {
            #expect(previous.lexicographicallyPrecedes(key))
            previous = key
            seen += 1
        }
        #expect(seen == count)
        try await store.close()
    }
}
