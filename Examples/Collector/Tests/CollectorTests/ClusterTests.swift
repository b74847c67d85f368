import HTTPTypes
import Heartwood
import HeartwoodRepository
import HummingbirdTesting
import KeyValueStoreTesting
import Testing

@testable import collector

/// What is different on a cluster, without one: on an engine in memory that has its limits.
@Suite(.timeLimit(.minutes(10))) struct ClusterTests {
    private static func lines(_ count: Int, bytes: Int = 0) -> String {
        let line = "{\"type\":\"a\",\"x\":\"\(String(repeating: "x", count: bytes))\"}"
        return Array(repeating: line, count: count).joined(separator: "\n")
    }

    /// Two services on one cluster.
    private func runPair(
        _ body: @Sendable @escaping (_ first: Collector, _ second: Collector, Fixture) async throws -> Void
    ) async throws {
        let fixture = Fixture(.gentle)
        let (first, second) = (try await fixture.open(), try await fixture.open())
        try await body(try await fixture.collector(first), try await fixture.collector(second), fixture)
        try await first.end()
        try await second.end()
    }

    private func post(_ body: String, key: String? = nil, to collector: Collector) async throws -> TestResponse {
        try await collector.application().test(.router) { client in try await client.post(body, key: key) }
    }

    @Test(arguments: [(512, 0), (30, 60_000)])
    func aRequestThatIsTooLargeIsRefused(_ count: Int, _ bytes: Int) async throws {
        try await Fixture(.gentle).run { client, _, store in
            let before = try await store.fetchCount(in: .all)
            let refused = try await client.post(Self.lines(count, bytes: bytes), key: "k")
            #expect(refused.status == .contentTooLarge && refused.code == "too-large-for-cluster")
            #expect((refused.json["detail"] as? String)?.contains("1024 records") == true)
            #expect(try await store.fetchCount(in: .all) == before)
            // The key isn't used up. With the key's record and the mark, these are 1,024 records.
            let answer = try await client.post(Self.lines(511, bytes: 2_000), key: "k")
            #expect(answer.status == .created, "\(answer.text)")
            #expect(try await client.post(Self.lines(511, bytes: 2_000), key: "k").text == answer.text)
        }
    }

    @Test func severalServicesGiveDifferentIds() async throws {
        try await runPair { first, second, _ in
            let ids = try await withThrowingTaskGroup(of: [String].self) { group in
                for collector in [first, second] {
                    group.addTask {
                        var ids: [String] = []
                        for _ in 0..<20 { ids += try await self.post(Self.lines(10), to: collector).ids }
                        return ids
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(ids.count == 400 && Set(ids).count == 400)
            #expect(try await second.store?.eventCount == 400)
        }
    }

    @Test func aRequestIsRepeatedAtAnotherService() async throws {
        try await runPair { first, second, fixture in
            let answer = try await post(Self.lines(2), key: "k", to: first)
            let again = try await post(Self.lines(2), key: "k", to: second)
            #expect(again.headers[.idempotentReplayed] == "true" && again.text == answer.text)
            #expect(try await post(Self.lines(3), key: "k", to: second).code == "idempotency-key-reused")
            fixture.clock.advance(by: .seconds(2 * 86_400))
            #expect(try await post(Self.lines(3), key: "k", to: second).status == .created)
        }
    }

    @Test func anHourThatAnotherServiceHasCountedIsCountedAgain() async throws {
        try await runPair { first, second, fixture in
            let hour = Hour(of: fixture.clock.now().milliseconds)
            for _ in 0..<2 { _ = try await post(Self.lines(1), to: first) }
            try await fixture.settle(second)
            let summaries = try #require(second.summaries)
            #expect(try await summaries.records.find(by: hour.number)?.events == 2)
            let late = "{\"type\":\"a\",\"time\":\(hour.start.milliseconds)}"
            #expect(try await post(late, to: first).status == .created)
            #expect(try await summaries.marks() == [hour])
            try await fixture.settle(second)
            try await summaries.check()
            #expect(try await summaries.records.find(by: hour.number)?.events == 3)
        }
    }

    /// The cluster loses answers, and fails. Each request is repeated with its key until it is acknowledged.
    @Test(arguments: 0..<8 as Range<UInt64>) func eachAcknowledgedEventIsThereOnce(seed: UInt64) async throws {
        let fixture = Fixture(.hostile.seeded(seed))
        let store = try await fixture.open()
        let collector = try await attempt { try await fixture.collector(store) }
        var unknown = 0
        for index in 0..<100 {
            var answer = try await post(Self.lines(3), key: "k\(index)", to: collector)
            while answer.status != .created {
                #expect(["outcome-unknown", "store-unavailable"].contains(answer.code), "\(answer.text)")
                unknown += answer.code == "outcome-unknown" ? 1 : 0
                answer = try await post(Self.lines(3), key: "k\(index)", to: collector)
            }
        }
        #expect(unknown > 0)
        #expect(try await attempt { try await store.eventCount } == 300)
        try await store.end()
    }

    private func attempt<R>(_ body: () async throws -> R) async throws -> R {
        while true {
            do {
                return try await body()
            } catch let error as StoreError where [.outcomeUnknown, .inputOutput].contains(error.code) {}
        }
    }

    @Test(arguments: [(60, 1_000), (30 * 86_400, 2_592_000)] as [(Int, UInt64)])
    func expiriesOnAClusterAreRoundedUp(_ seconds: Int, _ grain: UInt64) async throws {
        let fixture = Fixture(.gentle)
        let store = try await fixture.open()
        let (cluster, files) = (
            try await fixture.collector(store).ingest, try await fixture.collector(Store.inMemory()).ingest
        )
        for now in stride(from: 1_700_000_000_000 as UInt64, to: 1_700_000_100_000, by: 777) {
            let end = Timestamp(milliseconds: now) + .seconds(seconds)
            let rounded = cluster.end(of: .seconds(seconds), from: Timestamp(milliseconds: now))
            #expect(rounded >= end && rounded.milliseconds < end.milliseconds + grain)
            #expect(rounded.milliseconds.isMultiple(of: grain))
            #expect(files.end(of: .seconds(seconds), from: Timestamp(milliseconds: now)) == end)
        }
        try await store.end()
    }
}
