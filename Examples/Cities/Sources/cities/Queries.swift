import Foundation
import HeartwoodRepository

extension Example {
    /// The ten queries.
    func runAll() async throws {
        try await byIndexes()
        try await byPredicate()
        try await byPages()
        try await byKeysAlone()
    }

    private func byIndexes() async throws {
        try await fetch(
            "One city by its id", #"\.id == 3_413_829"#, Query(where: \.id == 3_413_829),
            { $0.id == 3_413_829 }, by: { $0.id < $1.id })

        try await fetch(
            "The largest cities of a country: the index is read from its end, and no further than the limit",
            #"\.country == "IS", sort: [.descending(\.population)], limit: 5"#,
            Query(where: \.country == "IS", sort: [.descending(\.population)], limit: 5),
            { $0.country == "IS" }, by: { ($0.population, $0.id) > ($1.population, $1.id) })

        try await fetch(
            "Names that begin with a text", #".hasPrefix(\.name, "San Fr"), sort: [.ascending(\.name)]"#,
            Query(where: .hasPrefix(\.name, "San Fr"), sort: [.ascending(\.name)]),
            { $0.name.hasPrefix("San Fr") }, by: { ($0.name, $0.id) < ($1.name, $1.id) })

        let islands = ["FO", "GL", "IS"]
        try await fetch(
            "One of several values, in the order of ids", #".isIn(\.country, ["FO", "GL", "IS"])"#,
            Query(where: .isIn(\.country, islands)), { islands.contains($0.country) }, by: { $0.id < $1.id })

        try await fetch(
            "A value and a range, on a compound index",
            #"\.country == "IN" && .isIn(\.population, 1_000_000...2_000_000), sort: [.ascending(\.population)]"#,
            Query(
                where: \.country == "IN" && .isIn(\.population, 1_000_000...2_000_000),
                sort: [.ascending(\.population)]),
            { $0.country == "IN" && (1_000_000...2_000_000).contains($0.population) },
            by: { ($0.population, $0.id) < ($1.population, $1.id) })

        try await fetch(
            "Either of two conditions: two indexes, and each record once",
            #"\.name == "London" || \.population >= 15_000_000, sort: [.descending(\.population)]"#,
            Query(
                where: \.name == "London" || \.population >= 15_000_000, sort: [.descending(\.population)]),
            { $0.name == "London" || $0.population >= 15_000_000 },
            by: { ($0.population, $0.id) > ($1.population, $1.id) })
    }

    private func byPredicate() async throws {
        let predicate = #Predicate<City> { $0.country == "DE" && $0.name.contains("furt") }
        try await fetch(
            "A #Predicate: the index finds the country, the rest is evaluated on its records",
            #"Filter(#Predicate { $0.country == "DE" && $0.name.contains("furt") })"#,
            Query(where: Filter(predicate)), { $0.country == "DE" && $0.name.contains("furt") },
            by: { $0.id < $1.id })
    }

    private func byPages() async throws {
        let query = Query<City>(where: \.population >= 1_000_000, sort: [.descending(\.population)])
        var pages = 0
        try await run(
            "Pages of 100, each continued by the cursor of the page before",
            #"""
            let query = Query<City>(where: \.population >= 1_000_000, sort: [.descending(\.population)])
            page(query, limit: 100, after: cursor)
            """#,
            query
        ) {
            var found: [City] = []
            var cursor: QueryCursor?
            pages = 0
            repeat {
                let page = try await cities.page(query, limit: 100, after: cursor)
                found += page.models
                cursor = page.next
                pages += 1
            } while cursor != nil
            return found
        } scan: { all in
            all.filter { $0.population >= 1_000_000 }.sorted { ($0.population, $0.id) > ($1.population, $1.id) }
        } show: { found in
            Self.lines(found) + ["\(pages) pages"]
        }
    }

    private func byKeysAlone() async throws {
        let large: Filter<City> = \.country == "US" && \.population >= 100_000
        try await run(
            "A count: the index's keys are counted, and no record is read",
            #"count(where: \.country == "US" && \.population >= 100_000)"#, Query(where: large)
        ) {
            try await cities.count(where: large)
        } scan: { all in
            all.count { $0.country == "US" && $0.population >= 100_000 }
        } show: { count in
            ["\(count) cities"]
        }

        try await run(
            "The smallest and the largest value: the first and the last key",
            #"""
            minimum(of: \.population, where: \.country == "FR")
            maximum(of: \.population, where: \.country == "FR")
            """#,
            nil
        ) {
            [
                try await cities.minimum(of: \.population, where: \.country == "FR"),
                try await cities.maximum(of: \.population, where: \.country == "FR"),
            ]
        } scan: { all in
            let populations = all.filter { $0.country == "FR" }.map(\.population)
            return [populations.min(), populations.max()]
        } show: { found in
            ["from " + found.map { Terminal.grouped($0 ?? 0) }.joined(separator: " to ")]
        }
    }
}
