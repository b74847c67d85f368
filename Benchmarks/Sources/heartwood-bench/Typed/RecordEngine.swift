/// A way to keep records of a Swift type: Heartwood's repositories, and what Swift programs use otherwise.
protocol RecordEngine: Subject {
    associatedtype Opened: RecordDatabase

    /// Opens the database in an existing directory; creates one if there is none.
    ///
    /// - Parameter blocks: Whether calls may block their thread, because the only worker has a thread of its own.
    func open(at path: String, _ promise: Promise, blocks: Bool) async throws -> Opened
    /// Whether calls are faster if they block, so that a single worker gets a thread of its own.
    var prefersThreads: Bool { get }
}

extension RecordEngine {
    var prefersThreads: Bool { false }
}

/// An open database of cities with three indexes: country and population, population, name.
protocol RecordDatabase: Sendable {
    /// Saves a city, and replaces the one with its id.
    nonisolated(nonsending) func save(_ city: City) async throws
    /// Saves cities, all or nothing.
    nonisolated(nonsending) func save(_ cities: [City]) async throws
    nonisolated(nonsending) func find(_ id: Int) async throws -> City?
    /// The largest cities of a country, the largest first; of two of one size, the one with the higher id.
    nonisolated(nonsending) func largest(_ limit: Int, in country: String) async throws -> [City]
    /// How many cities have at least this population.
    nonisolated(nonsending) func count(from population: Int) async throws -> Int
    /// How many cities a country has.
    nonisolated(nonsending) func count(in country: String) async throws -> Int
    nonisolated(nonsending) func isFound(name: String) async throws -> Bool
    nonisolated(nonsending) func forEach(_ body: (City) throws -> Void) async throws
    /// Saves many cities into an empty database, as fast as it can, and leaves it ready for fast reads.
    nonisolated(nonsending) func fill(_ cities: Cities) async throws
    nonisolated(nonsending) func close() async throws
}
