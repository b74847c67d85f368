internal import Heartwood

/// Memory of the index per key, after random keys were put one by one, and after the store was opened again, which
/// builds the index from all keys at once.
enum IndexMemory {
    static func measure(_ cell: Cell, keyBytes: Int) async throws -> Measured {
        let keys = KeySource(count: cell.data.keyCount, keyBytes: keyBytes)
        var configuration = Store.Configuration()
        // A running compaction would keep versions in memory.
        configuration.compaction = .manual
        let store = try await Store.open(at: cell.store, configuration: configuration)
        let start = Ticks.now
        try await Task { try await put(keys, store) }.value
        var measured = Measured()
        measured.operations = keys.count
        measured.seconds = Ticks.seconds(from: start, to: Ticks.now)
        // When everything is on the disk, no older versions are kept for readers.
        try await store.sync()
        measured.figures[.indexBytesPerKey] = try bytesPerKey(store, keys.count)
        try await store.close()

        let reopened = try await Store.open(at: cell.store, configuration: configuration)
        measured.figures[.loadedIndexBytesPerKey] = try bytesPerKey(reopened, keys.count)
        try await reopened.close()
        return measured
    }

    private static func put(_ keys: KeySource, _ store: Store) async throws {
        // The index keeps no values, so they are short.
        let value = [UInt8](repeating: 1, count: 8)
        var key = keys.makeBuffer()
        for number in 0..<keys.count {
            keys.write(number, to: &key)
            try await store.put(key, value, durability: .buffered)
        }
    }

    private static func bytesPerKey(_ store: Store, _ count: Int) throws -> Double {
        let statistics = store.statistics
        guard statistics.keys == count else {
            throw WrongResult("\(count) keys were put, and the store has \(statistics.keys)")
        }
        return Double(statistics.indexBytes) / Double(count)
    }
}
