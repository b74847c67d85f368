internal import Heartwood
internal import KeyValueStore

/// A store with smaller limits than its own, so that maintenance of a few records takes many batches. It also lets
/// other tasks run before each call, so that they come between the reads and the commit of a transaction.
final class BoundedStore: KeyValueStore {
    let store: Store
    let limits: KeyValueLimits
    var now: Timestamp { store.now }
    private let yields: Int

    init(_ store: Store, _ bounds: StoreBounds, yields: Int) {
        self.store = store
        self.yields = yields
        var limits = store.limits
        limits.operations = bounds.operations
        limits.conditions = bounds.operations * 2
        limits.hasOtherWriters = bounds.hasOtherWriters
        self.limits = limits
    }

    private nonisolated(nonsending) func pause() async { for _ in 0..<yields { await Task.yield() } }

    nonisolated(nonsending) func fetchEntry(_ key: [UInt8]) async throws(StoreError) -> Entry? {
        try await store.fetchEntry(key)
    }

    nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        try await store.fetchEntries(of: keys)
    }

    nonisolated(nonsending) func fetchEntries(
        in range: KeyRange, reversed: Bool, limit: Int
    ) async throws(StoreError) -> EntryPage {
        await pause()
        return try await store.fetchEntries(in: range, reversed: reversed, limit: limit)
    }

    nonisolated(nonsending) func fetchCount(in range: KeyRange) async throws(StoreError) -> Int {
        try await store.fetchCount(in: range)
    }

    nonisolated(nonsending) func readView() async throws(StoreError) -> ReadView { try store.readView() }

    nonisolated(nonsending) func readView(for purpose: ViewPurpose) async throws(StoreError) -> ReadView {
        try await store.readView(for: purpose)
    }

    func changes(after position: ChangePosition?, in range: KeyRange, level: ChangeLevel) -> Heartwood.Changes {
        store.changes(after: position, in: range, level: level)
    }

    nonisolated(nonsending) func write(
        _ batch: WriteBatch, durability: Durability?
    ) async throws(StoreError) -> SequenceNumber {
        try Transaction.checkOutside(of: self)
        await pause()
        return try await store.write(batch, durability: durability)
    }
}

/// The limits of a run's store.
package struct StoreBounds: Sendable, Codable {
    var operations: Int
    var hasOtherWriters: Bool
}
