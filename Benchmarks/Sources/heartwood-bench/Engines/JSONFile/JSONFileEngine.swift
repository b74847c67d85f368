internal import Foundation

/// A pattern that many programs use: an actor with a dictionary, which writes all items to one JSON file at each save.
struct JSONFileEngine: RecordEngine {
    /// Whether a save survives power loss. In the pattern as it is published, Foundation for Linux syncs the new file
    /// before it replaces the old one, but not the directory: the save may be lost, but no file is torn.
    let syncs: Bool

    var info: EngineInfo {
        syncs
            ? EngineInfo(
                .jsonFileSynced, "JSON file, synced", family: "json-file", version: "",
                settings: "The same, but the directory is synced too, so that a save survives power loss.")
            : EngineInfo(
                .jsonFile, "JSON file", version: "",
                settings: """
                    An actor with a dictionary, and JSONEncoder with its defaults. Each save writes all items by \
                    Data.write(options: .atomic), as published: Foundation for Linux syncs the new file, not the \
                    directory, so a save may be lost with the power, although the row's promise is another.
                    """)
    }

    func open(at path: String, _ promise: Promise, blocks: Bool) async throws -> JSONFileDatabase {
        JSONFileDatabase(items: JSONFileRepository(directory: URL(fileURLWithPath: path), syncs: syncs))
    }
}

/// The actor. Only `syncs` is added to the pattern.
actor JSONFileRepository<Item: Codable & Identifiable & Sendable> where Item.ID: Hashable & Codable & Sendable {
    private var items: [Item.ID: Item] = [:]
    private let file: URL
    private let syncs: Bool

    init(directory: URL, syncs: Bool) {
        file = directory.appendingPathComponent("data.json")
        self.syncs = syncs
        let stored = try? JSONDecoder().decode([Item].self, from: Data(contentsOf: file))
        for item in stored ?? [] { items[item.id] = item }
    }

    func save(_ item: Item) throws {
        items[item.id] = item
        try write()
    }

    func save(_ new: [Item]) throws {
        for item in new { items[item.id] = item }
        try write()
    }

    func find(by id: Item.ID) -> Item? { items[id] }

    func loadAll() -> [Item] { Array(items.values) }

    private func write() throws {
        let data = try JSONEncoder().encode(Array(items.values))
        if syncs { try Self.writeDurably(data, to: file) } else { try data.write(to: file, options: .atomic) }
    }

    /// Writes and syncs a new file, renames it, and syncs the directory.
    private static func writeDurably(_ data: Data, to file: URL) throws {
        let directory = file.deletingLastPathComponent().path
        let new = file.path + ".tmp"
        try data.write(to: URL(fileURLWithPath: new))
        try sync(new)
        guard rename(new, file.path) == 0 else { throw EngineFailure("JSON file", "rename failed: \(errno)") }
        try sync(directory)
    }

    private static func sync(_ path: String) throws {
        let descriptor = Foundation.open(path, O_RDONLY)
        guard descriptor >= 0 else { throw EngineFailure("JSON file", "open failed: \(errno)") }
        defer { Foundation.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw EngineFailure("JSON file", "fsync failed: \(errno)") }
    }
}

/// Its use for cities. What isn't in the pattern looks at all items.
struct JSONFileDatabase: RecordDatabase {
    let items: JSONFileRepository<City>

    nonisolated(nonsending) func save(_ city: City) async throws { try await items.save(city) }
    nonisolated(nonsending) func save(_ cities: [City]) async throws { try await items.save(cities) }
    nonisolated(nonsending) func find(_ id: Int) async throws -> City? { await items.find(by: id) }

    nonisolated(nonsending) func largest(_ limit: Int, in country: String) async throws -> [City] {
        let cities = await items.loadAll().filter { $0.country == country }
        return Array(cities.sorted { ($0.population, $0.id) > ($1.population, $1.id) }.prefix(limit))
    }

    nonisolated(nonsending) func count(from population: Int) async throws -> Int {
        await items.loadAll().count { $0.population >= population }
    }

    nonisolated(nonsending) func count(in country: String) async throws -> Int {
        await items.loadAll().count { $0.country == country }
    }

    nonisolated(nonsending) func isFound(name: String) async throws -> Bool {
        await items.loadAll().contains { $0.name == name }
    }

    nonisolated(nonsending) func forEach(_ body: (City) throws -> Void) async throws {
        try await items.loadAll().forEach(body)
    }

    nonisolated(nonsending) func fill(_ cities: Cities) async throws {
        try await items.save((0..<cities.count).map { cities.city($0) })
    }

    nonisolated(nonsending) func close() async throws {}
}
