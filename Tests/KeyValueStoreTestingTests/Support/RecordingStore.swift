import KeyValueStore
import KeyValueStoreTesting

/// A store that keeps the batches that are committed to it.
final class RecordingStore: KeyValueStore {
    let inner = ConstrainedStore()
    let batches = Batches()

    actor Batches {
        private(set) var all: [WriteBatch] = []
        func append(_ batch: WriteBatch) { all.append(batch) }
    }

    var limits: KeyValueLimits { inner.limits }
    var now: Timestamp { inner.now }

    func write(_ batch: WriteBatch, durability: Durability?) async throws(StoreError) -> SequenceNumber {
        try Transaction.checkOutside(of: self)
        await batches.append(batch)
        return try await inner.write(batch, durability: durability)
    }

    func readView() async throws(StoreError) -> ConstrainedStore.View { try await inner.readView() }

    func changes(after position: ChangePosition?, in range: KeyRange, level: ChangeLevel) -> ConstrainedStore.Changes {
        inner.changes(after: position, in: range, level: level)
    }

    func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        try await inner.fetchEntries(of: keys)
    }

    func fetchEntries(in range: KeyRange, reversed: Bool, limit: Int) async throws(StoreError) -> EntryPage {
        try await inner.fetchEntries(in: range, reversed: reversed, limit: limit)
    }

    func fetchCount(in range: KeyRange) async throws(StoreError) -> Int { try await inner.fetchCount(in: range) }
}
