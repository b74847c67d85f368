import HeartwoodTesting
import KeyValueStore
import Testing

@testable import HeartwoodRepository

@Suite("Plans of queries")
struct QueryPlanTests {
    private let store: ItemStore

    init() {
        var queries = RandomQueries(random: SeededRandom(3))
        store = ItemStore(queries.items(200), Item.indexes)
    }

    private func first(_ filter: Filter<Item>, _ sort: [Sort<Item>] = [], limit: Int? = nil) -> String {
        let plan = store.source.plan(for: Query(where: filter, sort: sort, limit: limit))
        return plan.description.split(separator: "\n").filter { !$0.hasPrefix("filter") && !$0.hasPrefix("count") }
            .joined(separator: " | ")
    }

    @Test("The best way to read is the documented one")
    func choice() {
        let byIdentifier = "order: ids are sorted before records are read"
        #expect(first(.all) == "all records | order: as read")
        #expect(first(.all, [.descending(\.id)]) == "all records, backwards | order: as read")
        #expect(first(!.all) == "nothing: no model can pass the filter | order: as read")
        #expect(first(\.number == 1 && \.number == 2) == "nothing: no model can pass the filter | order: as read")
        #expect(first(\.id == 4 && \.number == 1) == "1 records by id: id == 4 | order: as read")
        #expect(first(\.code == "c1" && \.number == 1) == #"unique index code, 1 key: code == "c1" | order: as read"#)
        #expect(
            first(\.name == "a" && \.number == 1)
                == #"index name-number: name == "a" && number == 1 | order: as read"#)
        #expect(
            first(\.name == "a" && \.number > 1, [.descending(\.number)])
                == #"index name-number: name == "a" && number > 1, backwards | order: as read"#)
        #expect(first(\.number > 1) == "index number: number > 1 | \(byIdentifier)")
        #expect(first(\.number > 1 && \.id > 7) == "records by id: id > 7 | order: as read")
        #expect(first(\.number == 1 && \.id > 7) == "index number: number == 1 && id > 7 | order: as read")
        #expect(first(.all, [.ascending(\.weight)]) == "index weight | order: as read")
        #expect(
            first(\.grade == .low, [.descending(\.id)])
                == #"index grade-id: grade == "low", backwards | order: as read"#)
        #expect(
            first(\.weight > 0, [.ascending(\.name)])
                == "index weight: weight > 0.0 | order: sorted in memory, because what is read isn't in this order")
        #expect(
            first(\.name == "a" || \.weight == 1)
                == #"index name: name == "a" | index weight: weight == 1.0 | "# + byIdentifier)
        #expect(first(\.name == "a" || \.day == Item.days[0]) == "all records | order: as read")
        #expect(
            first(
                (\.name == "a" && \.number > 1) || (\.name == "b" && \.number < 0),
                [.ascending(\.name), .ascending(\.number)])
                == #"index name-number, 2 ranges: name == "a" && number > 1 || "#
                + #"name == "b" && number < 0 | order: as read"#
        )
        #expect(
            first(.contains(\.tags, "x") && \.grade == .low, [.ascending(\.number)])
                == #"index grade-tag-number: grade == "low" && element of tags == "x" | order: as read"#)
    }

    @Test("The description has a line for each fact")
    func description() async throws {
        let query = Query<Item>(where: \.number == 2 && \.weight != 0, sort: [.descending(\.name)], limit: 3)
        let plan = try await store.source.explained(query).plan
        let statistics = try #require(plan.statistics)
        #expect(
            plan.description == """
                index number: number == 2
                filter: number == 2 && weight != 0.0
                order: sorted in memory, because what is read isn't in this order
                count: records have to be read
                looked at: \(statistics.entries) index entries, \(statistics.records) records; 3 results
                """)
    }

    /// Every comparison of one property with every comparison of another one, every index alone, and every order.
    @Test("Every combination of comparisons, indexes and sorts gives what the array gives")
    func everything() async throws {
        let names: [Filter<Item>] = [
            .all, \.name == "a", \.name != "a", \.name < "ab", \.name >= "e", .hasPrefix(\.name, "a"),
            .isIn(\.name, ["a", "ab", "Rey"]),
        ]
        let numbers: [Filter<Item>] = [
            .all, \.number == 2, \.number != 2, \.number < 2, \.number <= 2, \.number > 2, \.number >= 2,
            .isIn(\.number, 1...3), .isIn(\.number, [1, 4]),
        ]
        let sorts: [[Sort<Item>]] = [
            [], [.ascending(\.number)], [.descending(\.number)], [.ascending(\.name), .ascending(\.number)],
            [.ascending(\.name), .descending(\.number)],
            [.descending(\.name), .descending(\.number), .descending(\.id)],
        ]
        let items = Array(store.items.prefix(60))
        let stores = Item.indexes.prefix(4).map { ItemStore(items, [$0]) } + [ItemStore(items, Item.indexes)]
        for name in names {
            for number in numbers {
                for (position, sort) in sorts.enumerated() {
                    for filter in [name && number, name || number] {
                        let query = Query(where: filter, sort: sort, limit: position % 2 == 0 ? nil : 5)
                        let expected = try Expected.results(query, items).map(\.id)
                        for store in stores {
                            let found = try await store.source.explained(query)
                            #expect(found.models.map(\.id) == expected, "\(filter)\n\(found.plan)")
                        }
                    }
                }
            }
        }
    }
}
