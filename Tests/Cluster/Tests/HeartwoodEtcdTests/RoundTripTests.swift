import ClusterSupport
import HeartwoodRepository
import KeyValueStore
import Synchronization
import Testing

@testable import HeartwoodEtcd

struct Town: Codable, Identifiable, Sendable, Hashable {
    var id: Int
    var name: String
    var country: String

    static let definition = RepositoryDefinition<Town>(
        "towns", indexes: [.unique("name", \.name), Index("country", \.country)])
}

/// How many round trips the typed layer takes.
@Suite(.onCluster, .timeLimit(.minutes(5)))
struct RoundTripTests {
    /// The calls that `body` makes.
    private func calls(_ store: EtcdStore, _ body: () async throws -> Void) async rethrows -> Int {
        let before = store.cluster.calls.load(ordering: .relaxed)
        try await body()
        return store.cluster.calls.load(ordering: .relaxed) - before
    }

    @Test func areFew() async throws {
        let store = try await EtcdStore.open(TestCluster.configuration())
        let towns = try await store.repository(Town.definition)
        try await towns.insert(Town(id: 0, name: "first", country: "IS"))
        #expect(try await calls(store) { try await towns.insert(Town(id: 1, name: "one", country: "IS")) } == 1)
        let read = try #require(try await towns.findVersioned(by: 1))
        var changed = read.model
        (changed.name, changed.country) = ("two", "NO")
        #expect(try await calls(store) { _ = try await towns.save(changed, replacing: read) } == 1)
        #expect(try await calls(store) { _ = try await towns.update(1) { $0.country = "SE" } } == 2)
        #expect(try await calls(store) { _ = try await towns.find(by: 1) } == 1)
        for start in stride(from: 100, to: 300, by: 20) {
            let range = start..<start + 20
            try await towns.save(range.map { Town(id: $0, name: "town \($0)", country: $0 < 200 ? "DK" : "FI") })
        }
        var found: [Town] = []
        #expect(try await calls(store) { found = try await towns.fetch(where: \.country == "DK") } <= 2)
        #expect(found.count == 100)
        await store.close()
    }

    @Test func manyCallsNeedOneConnection() async throws {
        try await withStore { store in
            let number = try await calls(store) { for _ in 0..<500 { _ = try await store.fetchEntry([1]) } }
            // One more may be the sweep's.
            #expect(number <= 501, "calls were repeated")
        }
    }
}
