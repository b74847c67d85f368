internal import Heartwood
internal import HeartwoodRepository

/// A repository with the defaults: JSON, and a store with default settings.
struct RepositoryEngine: RecordEngine {
    var info: EngineInfo { HeartwoodEngine(.heartwood).info }

    func open(at path: String, _ promise: Promise, blocks: Bool) async throws -> CityRepository {
        try await CityRepository(Store.open(at: path), promise.durability)
    }
}

/// An open repository of cities.
struct CityRepository: RecordDatabase {
    let store: Store
    let cities: Repository<City>
    private let durability: Durability

    static let indexes: [Index<City>] = [
        Index("country-population", \.country, \.population), Index("population", \.population), Index("name", \.name),
    ]

    init(_ store: Store, _ durability: Durability, indexes: [Index<City>] = indexes) async throws {
        self.store = store
        self.durability = durability
        cities = try await store.repository(of: City.self, named: "cities", indexes: indexes)
    }

    nonisolated(nonsending) func save(_ city: City) async throws {
        try await cities.save(city, durability: durability)
    }

    nonisolated(nonsending) func save(_ cities: [City]) async throws {
        try await self.cities.save(cities, durability: durability)
    }

    nonisolated(nonsending) func find(_ id: Int) async throws -> City? { try await cities.find(by: id) }

    nonisolated(nonsending) func largest(_ limit: Int, in country: String) async throws -> [City] {
        try await cities.fetch(where: \.country == country, sort: [.descending(\.population)], limit: limit)
    }

    nonisolated(nonsending) func count(from population: Int) async throws -> Int {
        try await cities.count(where: \.population >= population)
    }

    nonisolated(nonsending) func count(in country: String) async throws -> Int {
        try await cities.count(where: \.country == country)
    }

    nonisolated(nonsending) func isFound(name: String) async throws -> Bool {
        try await cities.first(where: \.name == name) != nil
    }

    nonisolated(nonsending) func forEach(_ body: (City) throws -> Void) async throws {
        for try await city in cities.results() { try body(city) }
    }

    nonisolated(nonsending) func fill(_ cities: Cities) async throws {
        try await fill(cities, batch: 1_000)
        try await store.compact()
    }

    /// Saves cities in batches, `.buffered`, and flushes them.
    nonisolated(nonsending) func fill(_ cities: Cities, batch: Int) async throws {
        for start in stride(from: 0, to: cities.count, by: batch) {
            try await self.cities.save(
                (start..<min(start + batch, cities.count)).map { cities.city($0) }, durability: .buffered)
        }
        try await store.sync()
    }

    nonisolated(nonsending) func close() async throws { try await store.close() }
}
