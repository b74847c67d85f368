internal import Heartwood

/// Memory of an index entry: that of a store with a repository with three indexes, less that of one without, after the
/// same saves, and after the stores were opened again.
enum EntryMemory {
    static func measure(_ cell: Cell) async throws -> Measured {
        let entries = Double(CityRepository.indexes.count * cell.cities.count)
        var measured = Measured()
        let start = Ticks.now
        let without = try await bytes(cell, isIndexed: false)
        let with = try await bytes(cell, isIndexed: true)
        measured.operations = 2 * cell.cities.count
        measured.seconds = Ticks.seconds(from: start, to: Ticks.now)
        measured.figures[.bytesPerIndexEntry] = (with.saved - without.saved) / entries
        measured.figures[.loadedBytesPerIndexEntry] = (with.loaded - without.loaded) / entries
        return measured
    }

    private static func bytes(_ cell: Cell, isIndexed: Bool) async throws -> (saved: Double, loaded: Double) {
        let path = try cell.newDirectory("memory")
        var configuration = Store.Configuration()
        // A running compaction would keep versions in memory.
        configuration.compaction = .manual
        let indexes = isIndexed ? CityRepository.indexes : []
        let store = try await Store.open(at: path, configuration: configuration)
        let cities = try await CityRepository(store, .buffered, indexes: indexes)
        try await Task { try await cities.fill(cell.cities, batch: 100) }.value
        let saved = try bytes(store, cell, indexes.count)
        try await store.close()
        let reopened = try await Store.open(at: path, configuration: configuration)
        defer { Task { try await reopened.close() } }
        return (saved, try bytes(reopened, cell, indexes.count))
    }

    private static func bytes(_ store: Store, _ cell: Cell, _ indexes: Int) throws -> Double {
        let statistics = store.statistics
        // The catalogue has two keys.
        let expected = cell.cities.count * (1 + indexes) + 2
        guard statistics.keys == expected else {
            throw WrongResult("the store has \(statistics.keys) keys, but \(expected) must exist")
        }
        return Double(statistics.indexBytes)
    }
}
