internal import Heartwood

/// Memory of the index after puts one by one, and after the store was opened again, which builds the index from all
/// keys at once.
enum IndexMemory {
    /// Of each key of random ones.
    static func measure(_ cell: Cell, keyBytes: Int) async throws -> Measured {
        let keys = KeySource(count: cell.data.keyCount, keyBytes: keyBytes)
        let start = Ticks.now
        let bytes = try await bytes(cell, at: cell.spec.store, keys: keys.count) { store in
            // The index keeps no values, so they are short.
            let value = [UInt8](repeating: 1, count: 8)
            var key = keys.makeBuffer()
            for number in 0..<keys.count {
                keys.write(number, to: &key)
                try await store.put(key, value, durability: .buffered)
            }
        }
        var measured = Measured(keys.count, since: start)
        measured.figures[.indexBytesPerKey] = bytes.filled / Double(keys.count)
        measured.figures[.loadedIndexBytesPerKey] = bytes.loaded / Double(keys.count)
        return measured
    }

    /// Of each index entry of a repository with three indexes: the memory of a store with one, less that of one without
    /// indexes, after the same saves.
    static func measureEntries(_ cell: Cell) async throws -> Measured {
        let start = Ticks.now
        var all: [(filled: Double, loaded: Double)] = []
        for indexes in [[], CityRepository.indexes] {
            // The catalogue has two keys.
            let keys = cell.cities.count * (1 + indexes.count) + 2
            all.append(
                try await bytes(cell, at: cell.newDirectory("memory"), keys: keys) { store in
                    let cities = try await CityRepository(store, .buffered, indexes: indexes)
                    try await cities.fill(cell.cities, batch: 100)
                })
        }
        let entries = Double(CityRepository.indexes.count * cell.cities.count)
        var measured = Measured(2 * cell.cities.count, since: start)
        measured.figures[.bytesPerIndexEntry] = (all[1].filled - all[0].filled) / entries
        measured.figures[.loadedBytesPerIndexEntry] = (all[1].loaded - all[0].loaded) / entries
        return measured
    }

    private static func bytes(
        _ cell: Cell, at path: String, keys: Int, _ fill: @escaping @Sendable (Store) async throws -> Void
    ) async throws -> (filled: Double, loaded: Double) {
        func bytes(_ store: Store) throws -> Double {
            let statistics = store.statistics
            guard statistics.keys == keys else {
                throw WrongResult("the store has \(statistics.keys) keys, but \(keys) must exist")
            }
            return Double(statistics.indexBytes)
        }
        // A running compaction would keep versions in memory.
        let store = try await cell.openManual(path)
        try await Task { try await fill(store) }.value
        // When everything is on the disk, no older versions are kept for readers.
        try await store.sync()
        let filled = try bytes(store)
        try await store.close()
        let reopened = try await cell.openManual(path)
        let loaded = try bytes(reopened)
        try await reopened.close()
        return (filled, loaded)
    }
}
