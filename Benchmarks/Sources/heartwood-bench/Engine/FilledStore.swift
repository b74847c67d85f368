internal import Heartwood

/// Stores with every key of the dataset in them, made before the clock starts.
enum FilledStore {
    /// The directory of a store that was filled in this order of keys, by batches, and closed; kept for other runs.
    static func path(_ run: Run, _ order: KeySource.Order = .random) async throws -> String {
        try await run.fixtures.path(name(run, order)) { try await fill($0, run, order) }
    }

    /// A copy of such a directory, to write to and to delete.
    static func copy(_ run: Run) async throws -> String {
        try await run.fixtures.copy(name(run, .random)) { try await fill($0, run, .random) }
    }

    /// The directory of such a store, filled in random order and compacted before it was closed.
    static func compactedPath(_ run: Run) async throws -> String {
        try await run.fixtures.path(compactedName(run)) { try await fill($0, run, .random, isCompacted: true) }
    }

    /// A copy of such a directory, to write to and to delete.
    static func compactedCopy(_ run: Run) async throws -> String {
        try await run.fixtures.copy(compactedName(run)) { try await fill($0, run, .random, isCompacted: true) }
    }

    /// Opens the store of that directory for `body`, and closes it.
    ///
    /// - Parameter isCompacted: Whether it compacts itself meanwhile, for those who write to it.
    static func opened<R>(
        _ path: String, _ mode: ReadingMode = .pread, isCompacted: Bool = false, _ body: (Store) async throws -> R
    ) async throws -> R {
        let store = try await Store.open(
            at: path, configuration: Engine.configuration(mode, isCompacted: isCompacted))
        let result = try await body(store)
        try await store.close()
        return result
    }

    private static func name(_ run: Run, _ order: KeySource.Order) -> String {
        "heartwood-\(order.rawValue)-\(run.data.tag)"
    }

    private static func compactedName(_ run: Run) -> String { "heartwood-compacted-\(run.data.tag)" }

    private static func fill(
        _ path: String, _ run: Run, _ order: KeySource.Order, isCompacted: Bool = false
    ) async throws {
        let store = try await Store.open(at: path, configuration: Engine.configuration(isCompacted: false))
        var pairs = run.data.pairs(order)
        var left = run.data.keyCount
        while left > 0 {
            let size = min(left, BufferedBatches.batchSize)
            left -= size
            try await store.write(durability: left == 0 ? .written : .buffered) { batch in
                for _ in 0..<size {
                    pairs.advance()
                    batch.put(pairs.key, pairs.value)
                }
            }
        }
        if isCompacted { try await store.compact() }
        try await store.close()
    }
}
