import Heartwood
import KeyValueStore
import Synchronization

/// A store in memory that counts what is read of it.
final class CountingStore: KeyValueStore {
    let inner: Store
    let limits: KeyValueLimits
    fileprivate let counts = Counts()

    final class Counts: Sendable {
        fileprivate let reads = Atomic(0)
        fileprivate let bytes = Atomic(0)

        fileprivate func add(_ entries: [Entry?], _ reads: Int) {
            self.reads.add(reads, ordering: .relaxed)
            bytes.add(entries.reduce(0) { $0 + ($1?.value.count ?? 0) }, ordering: .relaxed)
        }
    }

    /// - Parameter operations: The most operations of a batch.
    init(operations: Int = 64) throws {
        inner = try Store.inMemory()
        var limits = inner.limits
        limits.operations = operations
        self.limits = limits
    }

    /// Keys that were looked up, and entries of ranges.
    var reads: Int { counts.reads.load(ordering: .relaxed) }
    /// The bytes of all values that were read.
    var readBytes: Int { counts.bytes.load(ordering: .relaxed) }

    var now: Timestamp { inner.now }

    final class View: KeyValueView {
        let inner: ReadView
        private let counts: Counts

        init(_ inner: ReadView, _ counts: Counts) { (self.inner, self.counts) = (inner, counts) }

        var position: ChangePosition { inner.position }

        func fetchEntry(_ key: [UInt8]) async throws(StoreError) -> Entry? {
            try await fetchEntries(of: [key])[0]
        }

        func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
            let entries = try await inner.fetchEntries(of: keys)
            counts.add(entries, keys.count)
            return entries
        }

        func fetchEntries(
            in range: KeyRange, reversed: Bool, limit: Int
        ) async throws(StoreError) -> EntryPage {
            let page = try await inner.fetchEntries(in: range, reversed: reversed, limit: limit)
            counts.add(page.entries, page.entries.count)
            return page
        }

        func fetchCount(in range: KeyRange) async throws(StoreError) -> Int { try await inner.fetchCount(in: range) }
    }

    func readView() async throws(StoreError) -> View { View(try inner.readView(), counts) }

    func readView(for purpose: ViewPurpose) async throws(StoreError) -> View {
        View(try await inner.readView(for: purpose), counts)
    }

    func write(_ batch: WriteBatch, durability: Durability?) async throws(StoreError) -> SequenceNumber {
        let conditions = batch.conditions.map { (condition) -> Condition in
            switch condition.kind {
            case .unchangedKey(let key, let view as View): .unchangedKey(key, since: view.inner)
            case .unchangedRange(let range, let view as View): .unchangedRange(range, since: view.inner)
            default: condition
            }
        }
        let own = WriteBatch(operations: batch.operations, conditions: conditions)
        return try await inner.write(own, durability: durability)
    }

    func changes(after position: ChangePosition?, in range: KeyRange, level: ChangeLevel) -> Store.Changes {
        inner.changes(after: position, in: range, level: level)
    }

    func fetchEntry(_ key: [UInt8]) async throws(StoreError) -> Entry? { try await readView().fetchEntry(key) }

    func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        try await readView().fetchEntries(of: keys)
    }

    func fetchEntries(in range: KeyRange, reversed: Bool, limit: Int) async throws(StoreError) -> EntryPage {
        try await readView().fetchEntries(in: range, reversed: reversed, limit: limit)
    }

    func fetchCount(in range: KeyRange) async throws(StoreError) -> Int { try await readView().fetchCount(in: range) }
}
