import Foundation
import Heartwood
import HeartwoodRepository
import Testing

/// The snippets of `Documentation/Observation.md`.
@Suite struct ObservationGuideTests {
    struct City: Codable, Identifiable, Sendable {
        var id: Int
        var name: String
        var country: String
        var population: Int
    }

    private let store: Store
    private let cities: Repository<City>

    init() async throws {
        store = try Store.inMemory()
        cities = try await store.repository(
            of: City.self, named: "cities", indexes: [Index("country", \.country, \.population)])
        try await cities.save(City(id: 1, name: "Reykjavík", country: "IS", population: 118_918))
    }

    @Test func followsAQuery() async throws {
        let cities = cities
        let shown = Shown()
        let task = Task {
            let query = Query<City>(where: \.country == "IS", sort: [.descending(\.population)], limit: 10)
            for try await largest in cities.observe(query) {
                await shown.show(largest.map(\.name))
            }
        }
        try await shown.wait(for: ["Reykjavík"])
        try await cities.save(City(id: 2, name: "Kópavogur", country: "IS", population: 38_998))
        try await shown.wait(for: ["Reykjavík", "Kópavogur"])
        task.cancel()
    }

    @Test func followsARecordACountAndKeys() async throws {
        let (cities, store) = (cities, store)
        let shown = Shown()
        let tasks = [
            Task { for try await city in cities.observe(1) { await shown.show([city?.name ?? "no such city"]) } },
            Task {
                let query = Query<City>(where: \.country == "NO")
                for try await count in cities.observeCount(query) { await shown.show(["\(count) in Norway"]) }
            },
            Task {
                for try await entry in store.observe("settings/theme") {
                    await shown.show([entry.map { String(decoding: $0.value, as: UTF8.self) } ?? "default"])
                }
            },
            Task {
                for try await settings in store.observe(in: .prefix("settings/")) {
                    await shown.show(["\(settings.count) settings"])
                }
            },
        ]
        try await shown.wait(for: ["Reykjavík"])
        try await cities.save(City(id: 3, name: "Oslo", country: "NO", population: 580_000))
        try await shown.wait(for: ["1 in Norway"])
        try await store.put("settings/theme", "dark")
        try await shown.wait(for: ["dark"])
        try await shown.wait(for: ["1 settings"])
        for task in tasks { task.cancel() }
    }

    @MainActor final class CityList {
        let largest: LiveQuery<City>

        init(_ cities: Repository<City>) {
            largest = LiveQuery(Query(sort: [.descending(\.population)], limit: 10), in: cities)
        }

        /// The list as text; a view reads the same properties.
        var text: String {
            if let error = largest.error { return "\(error)" }
            if largest.isLoading { return "loading" }
            return largest.items.map(\.name).joined(separator: ", ")
        }

        /// The prefix that a person has typed.
        func search(_ name: String) {
            largest.query = Query(where: .hasPrefix(\.name, name), limit: 10)
        }
    }

    @MainActor @Test func showsALiveQuery() async throws {
        let list = CityList(cities)
        while list.text != "Reykjavík" { try await Task.sleep(for: .milliseconds(2)) }
        list.search("Osl")
        while list.text != "" { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test func followsFilesThatAnotherProcessWrites() async throws {
        let path = NSTemporaryDirectory() + "heartwood-observed-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writer = try await Store.open(at: path)
        let written = try await writer.repository(of: City.self, named: "cities")
        try await written.save(City(id: 1, name: "Reykjavík", country: "IS", population: 118_918))
        let shown = Shown()
        let task = Task {
            let store = try await ReadOnlyStore.open(at: path, level: .visible)
            let cities = try await store.readOnlyRepository(RepositoryDefinition<City>("cities"))
            for try await all in cities.observe(Query(sort: [.ascending(\.name)])) {
                await shown.show(all.map(\.name))
            }
        }
        try await shown.wait(for: ["Reykjavík"])
        try await written.save(City(id: 2, name: "Akureyri", country: "IS", population: 19_000))
        try await shown.wait(for: ["Akureyri", "Reykjavík"])
        task.cancel()
        try await writer.close()
    }
}

/// What was shown.
private actor Shown {
    private var all: [[String]] = []

    func show(_ names: [String]) { all.append(names) }

    func wait(for names: [String], _ location: SourceLocation = #_sourceLocation) async throws {
        for _ in 0..<4_000 {
            if all.contains(names) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("only \(all) were shown", sourceLocation: location)
    }
}
