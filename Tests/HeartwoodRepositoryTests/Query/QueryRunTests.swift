import Foundation
import HeartwoodTesting
import KeyValueStore
import Testing

@testable import HeartwoodRepository

@Suite("Runs of queries")
struct QueryRunTests {
    private func store(_ count: Int, _ indexes: [Index<Item>] = Item.indexes) -> ItemStore {
        var queries = RandomQueries(random: SeededRandom(11))
        return ItemStore(queries.items(count), indexes)
    }

    private func trips(_ store: ItemStore, _ body: () async throws -> Void) async throws -> Int {
        let before = store.reader.roundTrips.value
        try await body()
        return store.reader.roundTrips.value - before
    }

    @Test("An indexed query takes two round trips, a count one")
    func roundTrips() async throws {
        let store = store(250)
        let query = Query<Item>(where: .contains(\.tags, "x"))
        #expect(try await trips(store) { _ = try await store.source.fetch(query) } == 2)
        #expect(try await trips(store) { _ = try await store.source.count(query) } == 1)
        let limited = Query<Item>(where: \.number >= 0, sort: [.descending(\.number)], limit: 100)
        #expect(try await trips(store) { _ = try await store.source.fetch(limited) } == 2)
        let unique = Query<Item>(where: .isIn(\.code, (0..<100).map { "c\($0)" }))
        #expect(try await trips(store) { _ = try await store.source.fetch(unique) } == 2)
        let identifiers = Query<Item>(where: .isIn(\.id, Array(0..<100)))
        #expect(try await trips(store) { _ = try await store.source.fetch(identifiers) } == 1)
        #expect(
            try await trips(store) { _ = try await store.source.extreme(isMaximum: true, of: \.number) as Int? } == 1)
    }

    @Test("A limit also limits what is read")
    func limits() async throws {
        let store = store(250)
        let query = Query<Item>(where: \.number >= 0, sort: [.ascending(\.number)], limit: 5, offset: 20)
        let statistics = try #require(try await store.source.explained(query).plan.statistics)
        #expect((statistics.entries, statistics.records, statistics.results) == (25, 5, 5))
        let byIdentifier = try await store.source.explained(Query(where: \.number >= 0, limit: 5)).plan.statistics
        #expect(byIdentifier?.records == 5)
    }

    @Test("A record that several parts of a read find is one result")
    func distinct() async throws {
        let store = store(120)
        for sort: [Sort<Item>] in [[], [.descending(\.id)], [.ascending(\.weight)], [.ascending(\.name)]] {
            let filter: Filter<Item> = .contains(\.tags, "x") || .contains(\.tags, "y") || .isIn(\.id, [1, 4, 7, 500])
            let query = Query(where: filter, sort: sort)
            #expect(try await store.source.fetch(query).map(\.id) == Expected.results(query, store.items).map(\.id))
            #expect(try await store.source.count(query) == Expected.results(query, store.items).count)
        }
    }

    @Test("Filters that keys express only in part, and lookups backwards, give what the array gives")
    func corners() async throws {
        let store = store(250)
        let even = (0..<200).map { 2 * $0 }
        let part = #Predicate<Item> { $0.number == 2 && $0.id + 1 > 80 }
        let queries: [Query<Item>] = [
            Query(where: \.number == 2 && !.hasPrefix(\.name, "x")),
            Query(where: !.hasPrefix(\.name, "x"), sort: [.ascending(\.name)]),
            Query(where: \.number == 1 || Filter(part)), Query(where: Filter(part) || \.number == 1),
            Query(where: .contains(\.tags, "x") || .contains(\.tags, "y")),
            Query(where: .contains(\.tags, "x") || .contains(\.tags, "y"), sort: [.descending(\.name)]),
            Query(where: .isIn(\.number, even)), Query(where: .isIn(\.number, even) && \.name == "a"),
            Query(where: .isIn(\.id, even), sort: [.descending(\.id)]),
            Query(where: .isIn(\.code, even.map { "c\($0)" }), sort: [.descending(\.code)]),
        ]
        for query in queries {
            let expected = try Expected.results(query, store.items).map(\.id)
            let plan = Comment(rawValue: "\(store.source.plan(for: query))")
            #expect(!expected.isEmpty)
            #expect(try await store.source.fetch(query).map(\.id) == expected, plan)
            #expect(try await store.source.count(query) == expected.count, plan)
            let first = try await store.source.page(query, limit: 3)
            let second = try await store.source.page(query, limit: 1_000, after: first.next)
            let all = first.next == nil ? first.models : first.models + second.models
            #expect(all.map(\.id) == expected, plan)
        }
    }

    @Test("A stream reads little at first")
    func streams() async throws {
        let store = store(250)
        var run = try QueryRun(Query<Item>(sort: [.ascending(\.number)]), store.source, isStream: true)
        #expect(try await run.next()?.count == 16)
        #expect(run.explanation.statistics?.records == 16)
        #expect(try await run.next()?.count == 32)
    }

    @Test("The guard key is checked before anything is returned, without a round trip of its own")
    func guardKey() async throws {
        let store = store(100)
        var source = store.source
        source.reader.guardKey = [0x11]
        source.reader.check = { entry throws(StoreError) in
            #expect(entry?.value == [1])
        }
        let query = Query<Item>(where: \.number == 1)
        #expect(try await trips(store) { _ = try await source.fetch(query) } == 2)
        #expect(try await trips(store) { _ = try await source.count(query) } == 2)
        source.reader.check = { _ throws(StoreError) in throw StoreError(.conflict, "the catalogue changed: try again")
        }
        let queries: [Query<Item>] = [
            query, Query(), Query(where: \.id == 1), Query(where: \.number == 100), Query(limit: 0),
            Query(where: \.number > 2, sort: [.ascending(\.name)]), Query(where: !.all),
        ]
        for query in queries {
            let error = await #expect(throws: StoreError.self) { _ = try await source.fetch(query) }
            #expect(error?.code == .conflict)
            await #expect(throws: StoreError.self) { _ = try await source.count(query) }
        }
        await #expect(throws: StoreError.self) { _ = try await source.extreme(isMaximum: true, of: \.number) as Int? }
    }

    @Test("A missing record is damage that names the index; a record that doesn't decode may be left out")
    func damage() async throws {
        let store = store(30)
        let victim = store.items[7]
        var contents = Dictionary(uniqueKeysWithValues: store.reader.entries.map { ($0.key, $0.value) })
        contents[[0x10] + ElementKind.encoded(victim.id)] = [1, 2, 3]
        var source = Self.source(store, contents)
        let query = Query<Item>(where: \.number == victim.number)
        await #expect(throws: StoreError.self) { _ = try await source.fetch(query) }
        let found = try await source.fetch(query, onUndecodable: { _ in })
        #expect(!found.contains { $0.id == victim.id })
        #expect(found.count == store.items.count { $0.number == victim.number } - 1)

        contents[[0x10] + ElementKind.encoded(victim.id)] = nil
        source = Self.source(store, contents)
        let error = await #expect(throws: StoreError.self) { _ = try await source.fetch(query) }
        #expect(error?.code == .corruption)
        #expect(error?.message.contains("index \"number\"") == true || error?.message.contains("number-name") == true)

        contents[[0x20, 0x00] + ElementKind.encoded(victim.number) + [0xEE]] = []
        source = Self.source(store, contents)
        let malformed = await #expect(throws: StoreError.self) {
            _ = try await source.fetch(Query(where: \.number == victim.number, sort: [.ascending(\.number)]))
        }
        #expect(malformed?.code == .corruption)
    }

    private static func source(_ store: ItemStore, _ contents: [[UInt8]: [UInt8]]) -> QuerySource<Item> {
        QuerySource(reader: SourceReader(SortedEntries(contents), store.source.layout), decode: store.source.decode)
    }

    @Test("A cancelled task ends the query")
    func cancellation() async {
        let task = Task {
            let store = store(10)
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await store.source.fetch(Query())
        }
        let error = await #expect(throws: StoreError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test("Sorting with pauses and keeping the best are sorting", arguments: [0, 1, 1_024, 1_025, 5_000, 9_217])
    func sorting(count: Int) async {
        var random = SeededRandom(UInt64(count))
        let numbers = (0..<count).map { _ in random.below(count) }
        var busy = BusyTime()
        #expect(await busy.sorted(numbers, by: <) == numbers.sorted())
        for limit in [0, 1, 7, count] {
            var best = BestResults(limit: limit)
            var kept: [Int] = []
            for number in numbers {
                guard let slot = best.insert(SortKey([ElementKind.encoded(number)], descending: [true])) else {
                    continue
                }
                if slot < kept.count { kept[slot] = number } else { kept.append(number) }
            }
            #expect(kept.sorted(by: >) == Array(numbers.sorted(by: >).prefix(limit)))
        }
    }
}
