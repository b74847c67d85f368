internal import Heartwood

/// Stores with every key of the dataset in them, made before the clock starts.
enum FilledStore {
    /// Fills a fresh store; everything is in the kernel when it returns.
    static func open(_ run: Run, at path: String) async throws -> Store {
        let store = try await Store.open(at: path)
        var pairs = run.data.pairs()
        let batches = Dataset.keyCount / BufferedBatches.batchSize
        for number in 1...batches {
            try await store.write(durability: number == batches ? .written : .buffered) { batch in
                for _ in 0..<BufferedBatches.batchSize {
                    let (key, value) = pairs.next()
                    batch.put(key, value)
                }
            }
        }
        return store
    }

    /// Fills a store, closes it, opens it again for `body`, closes it and deletes it.
    static func reopened<R>(_ run: Run, _ body: (Store) async throws -> R) async throws -> R {
        let path = run.directory.freshPath("filled")
        let filled = try await open(run, at: path)
        try await filled.close()
        let store = try await Store.open(at: path)
        let result = try await body(store)
        try await store.close()
        try run.directory.remove(path)
        return result
    }
}
