import HeartwoodCampaignSupport
import HeartwoodConcurrency
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// The change feed within a process.
@Suite(.timeLimit(.minutes(5))) struct ChangeFeedTests {
    private let fixture = CompactionFixture()

    private func keeping(_ change: (inout Store.Configuration) -> Void = { _ in }) async throws -> Store {
        try await fixture.open {
            $0.logRetention = .everything
            change(&$0)
        }
    }

    @Test(arguments: [ChangeLevel.durable, .visible])
    func deliversEveryWriteInOrder(level: ChangeLevel) async throws {
        let store = try await keeping()
        let durability: Durability = level == .visible ? .buffered : .written
        try await store.put("a", "1", durability: durability)
        try await store.write(durability: durability) { batch in
            batch.put("b", "2")
            batch.put("c", "3", expires: .at(Timestamp(milliseconds: 1_900_000_000_000)))
            batch.remove("a")
        }
        let last = try await store.remove("z", durability: durability)
        var feed = store.changes(after: store.beginning, level: level).makeAsyncIterator()
        if level == .durable { try await store.sync() }
        var changes: [Change] = []
        while changes.last?.sequence != last { changes.append(try #require(try await feed.next())) }
        #expect(
            changes.map { String(decoding: $0.key, as: UTF8.self) } == ["a", "b", "c", "a", "z"])
        #expect(changes.map(\.sequence) == [1, 2, 2, 2, 3])
        #expect(changes.map(\.isLastOfBatch) == [true, false, false, true, true])
        #expect(changes.map(\.position.sequence) == [1, 1, 1, 2, 3])
        #expect(changes[1].action == .put(value: Array("2".utf8), expires: nil))
        #expect(
            changes[2].action
                == .put(value: Array("3".utf8), expires: Timestamp(milliseconds: 1_900_000_000_000)))
        #expect(changes[3].action == .remove && changes[3].value == nil)
        #expect(feed.position == store.position)
        try await store.close()
        #expect(try await feed.next() == nil)
        #expect(try await feed.next() == nil)
    }

    /// Feeds that wait are woken by each kind of write.
    @Test(arguments: [ChangeLevel.durable, .visible], [Durability.buffered, .written, .synced])
    func wakesForTheNextWrite(level: ChangeLevel, durability: Durability) async throws {
        let store = try await keeping()
        try await store.put("first", "0")
        let changes = store.changes(level: level)
        let consumer = Task {
            var seen: [[UInt8]] = []
            for try await change in changes {
                seen.append(change.key)
                if seen.count == 20 { break }
            }
            return seen
        }
        for number in 0..<20 {
            try await store.put("key/\(number)", "x", durability: durability)
            if number % 5 == 0 { try await Task.sleep(for: .milliseconds(3)) }
        }
        if level == .durable { try await store.sync() }
        #expect(try await consumer.value == (0..<20).map { Array("key/\($0)".utf8) })
        try await store.close()
    }

    @Test func goesThroughSegmentsCompactionsAndOpenings() async throws {
        var store = try await keeping()
        var replica = StoreReplica(at: store.beginning)
        for round in 0..<4 {
            var feed = store.changes(after: replica.position).makeAsyncIterator()
            try await fixture.fill(store, 0..<150, round: round)
            try await store.remove("key/\(round)")
            if round == 1 { try await store.compact() }
            try await replica.follow(&feed, to: store.statistics.syncedSequence)
            #expect(try replica.everything == store.everything())
            try await store.close()
            #expect(try await feed.next() == nil)
            store = try await keeping()
        }
        #expect(fixture.logs.count > 8)
        var whole = StoreReplica(at: store.beginning)
        var feed = store.changes(after: store.beginning).makeAsyncIterator()
        try await whole.follow(&feed, to: replica.position.sequence)
        #expect(whole.everything == replica.everything && whole.changes == replica.changes)
        try await store.close()
    }

    @Test func onlyChangesOfTheRangeAndTheirLastOfEachBatch() async throws {
        let store = try await keeping()
        try await store.write { batch in
            batch.put("a/1", "1")
            batch.put("b/1", "1")
            batch.put("a/2", "2")
            batch.put("b/2", "2")
        }
        try await store.put("b/3", "3")
        let last = try await store.put("a/3", "3")
        try await store.put("b/4", "4")
        var feed = store.changes(after: store.beginning, in: .prefix("a/")).makeAsyncIterator()
        var changes: [Change] = []
        while changes.last?.sequence != last { changes.append(try #require(try await feed.next())) }
        #expect(changes.map { String(decoding: $0.key, as: UTF8.self) } == ["a/1", "a/2", "a/3"])
        #expect(changes.map(\.isLastOfBatch) == [false, true, true])
        // The feed has passed the last write, which isn't in its range.
        #expect(feed.position.sequence == 4)
        try await store.close()
    }

    /// A feed of a range moves on with changes outside of it.
    @Test func thePositionMovesWithChangesOutsideTheRange() async throws {
        let store = try await keeping()
        var feed = store.changes(after: store.beginning, in: .prefix("a/"), level: .visible).makeAsyncIterator()
        try await fixture.fill(store, 0..<3_000)
        let last = store.position
        try await store.close()
        #expect(try await feed.next() == nil)
        #expect(feed.position == last)
    }

    /// Also where no change comes: a task that is cancelled can store the position.
    @Test func aCancelledFeedEndsAndHasItsPosition() async throws {
        let store = try await keeping()
        try await store.put("a", "1")
        let changes = store.changes(after: store.beginning, in: .prefix("b"), level: .visible)
        let consumer = Task {
            var feed = changes.makeAsyncIterator()
            let error = await #expect(throws: StoreError.self) { try await feed.next() }
            #expect(error?.code == .cancelled)
            return feed.position.sequence
        }
        while store.log.withState({ $0.followers.isEmpty }) { await Task.yield() }
        consumer.cancel()
        #expect(await consumer.value == 1)
        // Writers no longer care for it.
        #expect(store.log.withState { $0.followers.isEmpty && $0.commits.pipeline.followedFrom == nil })
        try await store.close()
    }

    @Test func aBatchLargerThanAPageIsDeliveredInPages() async throws {
        let store = try await keeping { $0.segmentBytes = 64 << 20 }
        try await store.write { batch in
            for number in 0..<5_000 { batch.put("key/\(number)", [UInt8](repeating: UInt8(number & 255), count: 900)) }
            batch.put("large", [UInt8](repeating: 7, count: 3 << 20))
        }
        var feed = store.changes(after: store.beginning).makeAsyncIterator()
        var count = 0
        while let change = try await feed.next() {
            count += 1
            #expect(change.sequence == 1)
            #expect(change.isLastOfBatch == (count == 5_001))
            if change.isLastOfBatch {
                #expect(change.value == [UInt8](repeating: 7, count: 3 << 20))
                break
            }
            #expect(feed.position.sequence == 0)
        }
        #expect(feed.position.sequence == 1)
        try await store.close()
    }

    @Test func compressedValuesAreInflated() async throws {
        let store = try await keeping { $0.compression = .zlib() }
        let value = [UInt8](repeating: 65, count: 20_000)
        try await store.put("a", value)
        var feed = store.changes(after: store.beginning).makeAsyncIterator()
        #expect(try await feed.next()?.value == value)
        try await store.close()
    }

    @Test func aFailedStoreEndsTheFeedWithItsReason() async throws {
        let store = try await keeping()
        try await store.put("a", "1")
        var feed = store.changes(after: store.beginning).makeAsyncIterator()
        #expect(try await feed.next()?.sequence == 1)
        fixture.disk.inject(Fault(.sync, .error(ErrorNumber.EIO), times: .max))
        await #expect(throws: StoreError.self) { try await store.put("b", "2") }
        let error = await #expect(throws: StoreError.self) { try await feed.next() }
        #expect(error?.code == .failed)
        #expect(try await feed.next() == nil)
        try? await store.close()
    }
}
