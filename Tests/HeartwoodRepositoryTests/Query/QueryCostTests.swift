import HeartwoodTesting
import KeyValueStore
import Testing

@testable import HeartwoodRepository

/// What queries read, counted: twice as many records may cost little more than twice as much.
// One after the other, because they share the counters of their stores.
@Suite("Costs of queries", .serialized)
struct QueryCostTests {
    private static let indexes: [Index<Item>] = [
        Index("number", \.number), Index("grade", \.grade), Index("name-number", \.name, \.number),
        .unique("code", \.code), .unique("grade-id", \.grade, \.id), Index("tag", .each(\.tags)),
    ]

    // Only read.
    private nonisolated(unsafe) static let stores = [3_000, 6_000].map { count in
        var random = SeededRandom(17)
        return ItemStore((0..<count).map { Item($0, &random) }, indexes)
    }

    private func reads(_ store: ItemStore, _ body: (ItemStore) async throws -> Void) async throws -> Int {
        let before = store.reader.reads.value
        try await body(store)
        return store.reader.reads.value - before
    }

    private func pages(_ query: Query<Item>, _ store: ItemStore) async throws -> [Item] {
        var (found, cursor): ([Item], QueryCursor?) = ([], nil)
        repeat {
            let page = try await store.source.page(query, limit: 50, after: cursor)
            found += page.models
            cursor = page.next
        } while cursor != nil
        return found
    }

    static let paged: [Query<Item>] = [
        // Not in the order of any index.
        Query(where: \.number >= -3), Query(where: \.number >= 2), Query(where: \.number != 2),
        Query(where: .isIn(\.name, ["a", "e", "Rey"]) || \.grade == .low),
        Query(where: .contains(\.tags, "x") || .contains(\.tags, "y"), sort: [.descending(\.id)]),
        // In the order of ids, of one index, or of a part of one; with many records of each value.
        Query(), Query(sort: [.descending(\.id)]), Query(where: \.grade == .low),
        Query(where: \.grade == .low, sort: [.descending(\.id)]), Query(sort: [.ascending(\.grade)]),
        Query(sort: [.descending(\.grade)]), Query(where: \.name == "a", sort: [.descending(\.number)]),
        Query(where: .contains(\.tags, "x")), Query(sort: [.ascending(\.code)]), Query(sort: [.descending(\.code)]),
        Query(where: \.code == nil), Query(where: \.day >= Item.days[1]),
    ]

    @Test("All pages together read in proportion to the records", arguments: paged.indices)
    func pagesAreLinear(_ position: Int) async throws {
        let query = Self.paged[position]
        var costs: [Int] = []
        for store in Self.stores {
            var found: [Item] = []
            costs.append(try await reads(store) { found = try await pages(query, $0) })
            #expect(try found.map(\.id) == Expected.results(query, store.items).map(\.id))
        }
        #expect(Double(costs[1]) < 2.4 * Double(costs[0]), "\(query.filter): \(costs)")
    }

    @Test("The first results of many read neither all entries nor all records")
    func beginnings() async throws {
        let store = Self.stores[1]
        let query = Query<Item>(where: \.number >= 0)
        #expect(try await reads(store) { _ = try await $0.source.page(query, limit: 20) } < 2_000)
        #expect(try await reads(store) { _ = try await $0.source.fetch(Query(where: query.filter, limit: 1)) } < 2_000)
        #expect(
            try await reads(store) { store in
                var run = try QueryRun(query, store.source, isStream: true)
                _ = try await run.next()
            } < 2_000)
    }

    /// A record that can't be read is an error only of the queries whose indexes name it.
    @Test("Records that can't be read don't end queries that don't name them")
    func unreadableRecords() async throws {
        let store = Self.stores[0]
        let query = Query<Item>(where: \.number >= 2 || \.grade == .low)
        let expected = try Expected.results(query, store.items)
        let others = Set(store.items.map(\.id)).subtracting(expected.map(\.id))
        let broken = try #require(others.filter { $0 > 50 }.min())
        let damaged = store.damaging(broken)
        #expect(try await pages(query, damaged).map(\.id) == expected.map(\.id))
        let named = store.damaging(expected[30].id)
        await #expect(throws: StoreError.self) { try await pages(query, named) }
    }
}
