import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// Readers of files that a compaction replaces continue to read; the files are removed after them.
@Suite struct CompactionReadViewTests {
    private let fixture = CompactionFixture()

    @Test func replacedFilesAreRemovedAfterTheLastView() async throws {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<100)
        var view: ReadView? = try store.readView()
        try await fixture.fill(store, 0..<50, round: 1)
        #expect(try await store.compact().pinnedFiles > 0)
        let before = fixture.files
        #expect(before.count > 3)
        _ = view
        view = nil
        while fixture.files.count > 2 { try await Task.sleep(for: .milliseconds(5)) }
        try fixture.expect(store, 0..<50, round: 1)
        try fixture.expect(store, 50..<100)
        #expect(store.log.index.checkInvariants() == nil)
        try await store.close()
    }

    /// A reader that has looked up a key and hasn't read its record yet still finds the file open.
    @Test func replacedFilesStayWhileAReaderIsOnItsWay() async throws {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<50)
        let before = fixture.logs
        let pin = store.log.index.epochs.pin()
        let version = try #require("key/7".withByteBuffer { store.log.index.findPinned($0, at: nil) })
        let task = Task { try await store.compact() }
        while fixture.snapshots.isEmpty { await Task.yield() }
        // The move doesn't help the reader: it has the old location.
        while "key/7".withByteBuffer({ store.log.index.find($0, at: nil) })?.location == version.location {
            await Task.yield()
        }
        // Enough time for a compactor that doesn't wait for readers to remove the files.
        for _ in 0..<200 { try await Task.sleep(for: .milliseconds(2)) }
        #expect(Array(fixture.logs.prefix(before.count)) == before)
        let value = try "key/7".withByteBuffer { (key) throws(StoreError) in
            try RecordReader(image: store.image).withValue(of: key, version) { value, _ in [UInt8](value) }
        }
        #expect(ValuePattern(identity: 700, length: 7).matches(value))
        store.log.index.epochs.unpin(pin)
        #expect(try await task.value.pinnedFiles == 0)
        #expect(fixture.logs.count == 1)
        try await store.close()
    }

    /// There is always a read view, but none exists for long.
    @Test func replacedFilesAreRemovedAlthoughViewsOverlap() async throws {
        let store = try await fixture.open { $0.compaction = .manual }
        var views: [ReadView] = []
        var counts: [Int] = []
        for round in 0..<12 {
            try await fixture.fill(store, 0..<20, round: round)
            views.append(try store.readView())
            try await fixture.fill(store, 10..<30, round: round + 50)
            try await store.compact()
            if views.count > 2 { views.removeFirst() }
            store.settleCompaction()
            counts.append(store.statistics.pinnedFiles)
            for view in views { #expect(try view.scan().keys.reduce(0) { count, _ in count + 1 } >= 20) }
        }
        #expect(counts.dropFirst(4).allSatisfy { $0 <= 12 }, "\(counts)")
        views = []
        store.settleCompaction()
        #expect(store.statistics.pinnedFiles == 0 && fixture.files.count == 2)
        #expect(store.log.index.checkInvariants() == nil)
        try await store.close()
    }

    /// Compactions without writes between them give their snapshots the same name; the file is that of the last one.
    @Test func removingAReplacedSnapshotKeepsTheFileOfALaterOne() async throws {
        let store = try await fixture.open { $0.compaction = .manual }
        try await fixture.fill(store, 0..<20)
        try await store.put("gone", "1", expires: .at(Timestamp(milliseconds: 1_700_000_001_000)))
        try await store.compact()
        var first: ReadView? = try store.readView()
        fixture.clock.set(1_700_000_002_000)
        try await store.compact()
        let second = try store.readView()
        try await fixture.fill(store, 20..<30)
        try await store.compact()
        try #require(store.statistics.pinnedFiles > 1 && fixture.snapshots.count == 2)
        _ = first
        first = nil
        store.settleCompaction()
        #expect(store.statistics.pinnedFiles > 0 && fixture.snapshots.count == 2)
        try fixture.expect(store, 0..<30)
        #expect(try second.get("key/29") == nil && second.get("key/19") != nil)
        // A rotation checks that all files in use are still there.
        try await store.compact()
        try await store.put("last", "1")
        try await store.compact()
        withExtendedLifetime(second) {}
        try await store.close()
    }

    /// The snapshot file mixes records that were overwritten since the view with others.
    @Test func aConditionOutlivesItsReadView() async throws {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<20)
        let stale = Condition.unchangedRange(.prefix("key/"), since: try store.readView())
        try await fixture.fill(store, 5..<6, round: 1)
        let present = Condition.unchangedRange(.prefix("key/"), since: try store.readView())
        try await store.compact()
        await expectError(.conflict) {
            try await store.write { batch in
                batch.require(stale)
                batch.put("x", "1")
            }
        }
        try await store.write { batch in
            batch.require(present)
            batch.put("x", "1")
        }
        try await store.close()
    }

    @Test func compactionInterferesWithNoTransaction() async throws {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<50)
        try await store.put("gone", "1", expires: .at(Timestamp(milliseconds: 1)))
        var runs = 0
        for number in 0..<5 {
            try await store.transaction { transaction in
                runs += 1
                #expect(try transaction.get("key/\(number)") != nil)
                #expect(try transaction.get("gone") == nil)
                #expect(try transaction.entries(in: .prefix("key/1"), limit: .max).entries.count == 11)
                try transaction.put("other/\(number)", "1")
                try await store.compact()
            }
            try await store.compact()
        }
        #expect(runs == 5)
        try await store.close()
    }
}
