internal import Heartwood

/// What the index takes for each key, after random keys were put one by one, and after the store was opened again,
/// which builds the index from all keys at once. The rate is that of the puts, for information.
struct IndexMemory: Workload {
    let name: String
    let title: String
    let group = WorkloadGroup.memory
    let keyBytes: Int
    /// Keys, as a multiple of those asked for.
    let scale: Int
    var targets: [Target] = []
    /// The same keys make the same index.
    let needsOneRun = true

    func measure(_ run: Run) async throws -> Sample {
        let keys = KeySource(count: run.data.keyCount * scale, keyBytes: keyBytes)
        let path = run.directory.freshPath("memory")
        // A compaction under way would keep versions, and the moment of the counting is any.
        let configuration = Engine.configuration(isCompacted: false)
        let store = try await Store.open(at: path, configuration: configuration)
        let start = Ticks.now
        try await Task { try await put(run, keys, store) }.value
        let seconds = Ticks.seconds(from: start, to: Ticks.now)
        // Once everything is on the disk, nothing is kept for readers of older states.
        try await store.flush()
        try check(run, keys, store)
        let inserted = Engine.indexBytesPerKey(store)
        try await store.close()

        let reopened = try await Store.open(at: path, configuration: configuration)
        try check(run, keys, reopened)
        let loaded = Engine.indexBytesPerKey(reopened)
        try await reopened.close()
        try run.directory.remove(path)
        return Sample(
            operations: keys.count, seconds: seconds,
            footprint: Footprint(keyBytes: keyBytes, keys: keys.count, inserted: inserted, loaded: loaded))
    }

    private func put(_ run: Run, _ keys: KeySource, _ store: Store) async throws {
        // Values stay on the disk: short ones do.
        let value = [UInt8](repeating: 1, count: 8)
        var key = keys.makeBuffer()
        for number in 0..<keys.count {
            keys.write(number, to: &key)
            try await store.put(key, value, durability: .buffered)
            if number & 0xFFFF == 0, run.isInterrupted { return }
        }
    }

    private func check(_ run: Run, _ keys: KeySource, _ store: Store) throws {
        let found = store.statistics.keys
        guard found == keys.count || run.isInterrupted else {
            throw WrongResult("\(keys.count) keys were put, and the store has \(found)")
        }
    }
}
