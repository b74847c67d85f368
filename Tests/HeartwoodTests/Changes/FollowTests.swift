import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// A view, and everything after it.
@Suite(.timeLimit(.minutes(5))) struct FollowTests {
    private let fixture = CompactionFixture()

    @Test(arguments: [ChangeLevel.durable, .visible])
    func theLogAfterTheViewIsKeptUntilItIsRead(level: ChangeLevel) async throws {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<100)
        var following: Following? = try await store.follow(level: level)
        #expect(store.statistics.logHolds == 1)
        var replica = try StoreReplica(try #require(following).view)
        var feed = try #require(following).changes.makeAsyncIterator()
        // The view keeps files of its own.
        following = nil
        for round in 1...3 {
            try await fixture.fill(store, 0..<150, round: round)
            try await store.compact()
        }
        let logs = fixture.logs
        #expect(logs.count > 3)
        #expect(store.statistics.retainedLogBytes > 0)
        try await replica.follow(&feed, to: store.statistics.syncedSequence)
        #expect(try replica.everything == store.everything())
        // It has caught up once it looks for more.
        async let next = feed.next()
        while store.statistics.logHolds > 0 { await Task.yield() }
        try await store.put("last", "1")
        #expect(try await next?.key == Array("last".utf8))
        store.settleCompaction()
        #expect(fixture.logs.count == 1 && store.statistics.retainedLogBytes == 0)
        try await store.close()
    }

    @Test func theLogIsReleasedWithTheFeed() async throws {
        let store = try await fixture.open()
        try await fixture.fill(store, 0..<100)
        var following: Following? = try await store.follow()
        try await fixture.fill(store, 0..<100, round: 1)
        try await store.compact()
        #expect(fixture.logs.count > 1 && following != nil)
        following = nil
        store.settleCompaction()
        #expect(fixture.logs.count == 1 && store.statistics.logHolds == 0)
        try await store.close()
    }

    /// What the view of a durable feed shows, no crash takes back.
    @Test func theViewOfADurableFeedIsDurable() async throws {
        let store = try await fixture.open { $0.timing.sync = .max }
        try await store.put("a", "1", durability: .buffered)
        let following = try await store.follow(level: .durable)
        #expect(following.view.sequence == 1 && store.statistics.syncedSequence == 1)
        try await store.close()
    }
}
