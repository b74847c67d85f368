import HeartwoodTesting
import KeyValueStore
import Testing

@testable import HeartwoodRepository

@Suite("Queries drawn from seeds")
struct RandomQueryTests {
    @Test(
        "With all indexes, with some, without any, and over a plain array: equal", arguments: 0..<40 as Range<UInt64>)
    func sameResults(seed: UInt64) async throws {
        var queries = RandomQueries(random: SeededRandom(seed, 0x51))
        let items = queries.items(queries.random.below(80))
        let some = Item.indexes.filter { _ in queries.random.oneIn(3) }
        let stores = [ItemStore(items, Item.indexes), ItemStore(items, some), ItemStore(items, [])]
        for number in 0..<25 {
            let query = queries.query()
            let expected = try Expected.results(query, items)
            for store in stores {
                let note = Comment(
                    rawValue: "seed \(seed), query \(number): \(query.filter)\n\(store.source.plan(for: query))")
                let found = try await store.source.explained(query)
                #expect(found.models.map(\.id) == expected.map(\.id), note)
                #expect(found.plan.statistics?.results == expected.count, note)
                let count = try await store.source.count(query)
                #expect(count == expected.count, note)
                if number % 3 == 0 { try await checkExtremes(store, query.filter, note) }
            }
        }
    }

    private func checkExtremes(_ store: ItemStore, _ filter: Filter<Item>, _ note: Comment) async throws {
        let passing = try store.items.filter { try filter.matches($0) }
        let source = store.source
        #expect(
            try await source.extreme(isMaximum: false, of: \.number, where: filter) == passing.map(\.number).min(), note
        )
        #expect(
            try await source.extreme(isMaximum: true, of: \.number, where: filter) == passing.map(\.number).max(), note)
        #expect(try await source.extreme(isMaximum: true, of: \.id, where: filter) == passing.map(\.id).max(), note)
        let weights = passing.map(\.weight).filter { !$0.isNaN }
        #expect(try await source.extreme(isMaximum: true, of: \.weight, where: filter) == weights.max(), note)
        let heights = passing.compactMap(\.height).filter { !$0.isNaN }
        let lowest: Float?? = try await source.extreme(isMaximum: false, of: \.height, where: filter)
        #expect((lowest ?? nil) == heights.min(), note)
    }

    @Test("Pages by cursors have every result once", arguments: 0..<40 as Range<UInt64>)
    func pages(seed: UInt64) async throws {
        var queries = RandomQueries(random: SeededRandom(seed, 0xCE))
        let items = queries.items(queries.random.below(60))
        let some = Item.indexes.filter { _ in queries.random.oneIn(2) }
        let store = ItemStore(items, some)
        for number in 0..<25 {
            var query = queries.query()
            (query.limit, query.offset) = (nil, 0)
            let expected = try Expected.results(query, items)
            let note = Comment(rawValue: "seed \(seed), query \(number)\n\(store.source.plan(for: query))")
            var (found, cursor): ([Int], QueryCursor?) = ([], nil)
            repeat {
                let limit = queries.random.number(in: 1...7)
                let page = try await store.source.page(query, limit: limit, after: cursor)
                #expect(page.models.count <= limit, note)
                #expect(page.next == nil || page.models.count == limit, note)
                found += page.models.map(\.id)
                cursor = page.next.flatMap { QueryCursor($0.description) }
                #expect((cursor == nil) == (page.next == nil), note)
            } while cursor != nil
            #expect(found == expected.map(\.id), note)
        }
    }
}
