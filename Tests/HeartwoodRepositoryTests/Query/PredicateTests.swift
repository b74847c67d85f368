import Foundation
import HeartwoodTesting
import Testing

@testable import HeartwoodRepository

@Suite("Foundation's predicates")
struct PredicateTests {
    private let store: ItemStore

    init() {
        var queries = RandomQueries(random: SeededRandom(7))
        store = ItemStore(queries.items(120), Item.indexes)
    }

    /// Compares with Foundation, negated too.
    ///
    /// - Returns: What is read first.
    @discardableResult
    private func check(_ predicate: Predicate<Item>) async throws -> String {
        let expected = try store.items.filter { try predicate.evaluate($0) }.map(\.id)
        let query = Query(where: Filter(predicate))
        #expect(try await store.source.fetch(query).map(\.id).sorted() == expected.sorted())
        #expect(try await store.source.count(query) == expected.count)
        let others = try store.items.filter { try !predicate.evaluate($0) }.map(\.id)
        let negated = try await store.source.fetch(Query(where: !Filter(predicate)))
        #expect(negated.map(\.id).sorted() == others.sorted())
        let plan = store.source.plan(for: query)
        #expect(plan.description.contains("filter: #Predicate") || plan.reads[0].hasPrefix("nothing"))
        return plan.reads.joined(separator: "; ")
    }

    @Test("Comparisons with values, captured or not, use indexes")
    func comparisons() async throws {
        let (number, negative, name) = (3, -2, "ab")
        #expect(try await check(#Predicate { $0.number >= number }) == "index number: number >= 3")
        #expect(try await check(#Predicate { 3 > $0.number }) == "index number: number < 3")
        #expect(try await check(#Predicate { $0.number < -negative }) == "index number: number < 2")
        #expect(try await check(#Predicate { $0.number == -1 }).hasSuffix("number: number == -1"))
        #expect(try await check(#Predicate { $0.name == name }).hasSuffix(#"name: name == "ab""#))
        #expect(try await check(#Predicate { $0.name != name }) == "all records")
        #expect(try await check(#Predicate { $0.weight <= 0 }) == "index weight: weight <= 0.0")
        #expect(try await check(#Predicate { $0.id == 4 }) == "1 records by id: id == 4")
        #expect(try await check(#Predicate { $0.name == name && $0.number > 2 }).hasPrefix("index name-number: "))
    }

    @Test("Nil, membership, elements, ranges and beginnings use indexes")
    func others() async throws {
        let (codes, set, tag): ([String?], Set<String>, String) = (["c1", "c4"], ["a", "ab"], "x")
        #expect(try await check(#Predicate { $0.code == nil }) == "index code: code == null")
        #expect(try await check(#Predicate { $0.code == "c1" }) == #"unique index code, 1 key: code == "c1""#)
        #expect(try await check(#Predicate { codes.contains($0.code) }).hasPrefix("unique index code, 2 keys"))
        #expect(try await check(#Predicate { set.contains($0.name) }).hasPrefix("index name, 2 ranges"))
        #expect(try await check(#Predicate { $0.tags.contains(tag) }) == #"index tag: element of tags == "x""#)
        #expect(
            try await check(#Predicate { (1...3).contains($0.number) }) == "index number: number >= 1 && number <= 3")
        #expect(
            try await check(#Predicate { (1..<3).contains($0.number) }) == "index number: number >= 1 && number < 3")
        #expect(try await check(#Predicate { $0.name.starts(with: "Re") }) == #"index name: name begins with "Re""#)
        try await check(#Predicate { $0.name.starts(with: "e") })
        try await check(#Predicate { $0.name.starts(with: "x") || $0.name.starts(with: "a\u{0}") })
    }

    @Test("What isn't understood is evaluated, also beside what is")
    func unknown() async throws {
        #expect(try await check(#Predicate { $0.name.count == 2 }) == "all records")
        #expect(try await check(#Predicate { $0.name.count == 2 && $0.number > 4 }) == "index number: number > 4")
        #expect(try await check(#Predicate { $0.name.count == 2 || $0.number > 4 }) == "all records")
        #expect(try await check(#Predicate { !($0.name.count == 2 || $0.number > 4) }) == "index number: number <= 4")
        #expect(try await check(#Predicate { $0.number == $0.id }) == "all records")
        #expect(try await check(#Predicate { $0.number + 1 == 3 }) == "all records")
        #expect(try await check(#Predicate { ($0.height ?? 0) > 1 }) == "all records")
        #expect(try await check(#Predicate { $0.tags.contains { $0 == "x" } }) == "all records")
        try await check(#Predicate { _ in true })
    }

    @Test("NaN is as in Swift")
    func notANumber() async throws {
        let (missing, least) = (Double.nan, -Double.infinity)
        try await check(#Predicate { $0.weight == missing })
        try await check(#Predicate { $0.weight != missing })
        try await check(#Predicate { $0.weight < missing || $0.weight >= missing })
        try await check(#Predicate { !($0.weight < 0) })
        try await check(#Predicate { $0.weight >= least })
    }

    @Test("A predicate that throws ends the query")
    func failing() async throws {
        let predicate = #Predicate<Item> { $0.code! == "c1" }
        await #expect(throws: StoreError.self) { try await store.source.fetch(Query(where: Filter(predicate))) }
    }
}
