/// Reads, decisions and writes that run in isolation from other writes; see
/// ``KeyValueStore/withTransaction(durability:_:)``.
///
/// It reads one view, and sees its own writes on top. What it has read is a condition of the commit. Not `Sendable`,
/// and not usable after its closure: don't keep it.
public final class KeyValueTransaction: KeyValueReader {
    /// The store that it reads and writes.
    public let store: any KeyValueStore
    /// What it reads.
    public let view: any KeyValueView
    /// What it has written, in the order of the first write of each key.
    private var writes = KeyTable<KeyValueBatch.Operation>()
    private var readKeys = KeyTable<Void>()
    private var readRanges: [KeyRange] = []
    private var notedRanges: Set<KeyRange> = []
    private var conditions: [KeyValueCondition] = []
    private var checks: [nonisolated(nonsending) (KeyValueTransaction) async throws(StoreError) -> Void] = []
    private var effects: [@Sendable () -> Void] = []
    /// How many runs of the transaction have been in vain. The first run may assume instead of reading, with a
    /// condition that fails if it is wrong; a later run must read, so that it can tell what was wrong.
    package let attempt: Int

    init(_ store: any KeyValueStore, _ view: any KeyValueView, attempt: Int) {
        (self.store, self.view, self.attempt) = (store, view, attempt)
    }

    /// Adds a check of the final state, which runs when the body has returned.
    package func beforeCommit(
        _ check: nonisolated(nonsending) @escaping (KeyValueTransaction) async throws(StoreError) -> Void
    ) {
        checks.append(check)
    }

    /// Makes room for as many more writes, and keys that it reads.
    package func reserve(writes more: Int, reads: Int) {
        writes.reserve(writes.items.count + more)
        readKeys.reserve(readKeys.items.count + reads)
    }

    /// Adds what is done once the transaction has been committed, before its caller continues.
    package func afterCommit(_ effect: @escaping @Sendable () -> Void) { effects.append(effect) }

    func finish() { for effect in effects { effect() } }

    nonisolated(nonsending) func check() async throws(StoreError) {
        for check in checks { try await check(self) }
    }

    /// What this transaction has written to a key; nil if nothing.
    package func write(of key: [UInt8]) -> KeyValueBatch.Operation? { writes[key] }

    /// Sets a key's value when the transaction commits. O(1).
    public func put(_ key: [UInt8], _ value: [UInt8], expires: Expiry = .never) {
        writes.set(key, KeyValueBatch.Operation(key: key, value: value, expires: expires))
    }

    /// Removes a key, which doesn't have to exist, when the transaction commits. O(1).
    public func remove(_ key: [UInt8]) {
        writes.set(key, KeyValueBatch.Operation(key: key, value: nil))
    }

    /// Adds a condition of the commit. O(1). If it doesn't hold, the transaction runs again; so require only what the
    /// body has read, or what it requires otherwise in the next run.
    public func require(_ condition: KeyValueCondition) { conditions.append(condition) }

    /// What this transaction has written to a key: nil if nothing; otherwise its entry, or nil if it was removed.
    private func own(_ key: [UInt8]) -> Entry?? { write(of: key).map(Self.entry) }

    /// The entry of a write of this transaction. A value that it has written counts as not yet expired.
    private static func entry(_ write: KeyValueBatch.Operation) -> Entry? {
        write.value.map { Entry(key: write.key, value: $0, sequence: 0, expires: write.expires.timestamp) }
    }

    /// The entry of a key as this transaction sees it. The key is a condition of the commit, unless this transaction
    /// has written it. A value that this transaction wrote has the sequence number 0.
    public nonisolated(nonsending) func fetchEntry(_ key: [UInt8]) async throws(StoreError) -> Entry? {
        if let own = own(key) { return own }
        let entry = try await view.fetchEntry(key)
        // Not before: a body may continue after a read that has failed, of a key that no condition may have.
        readKeys.set(key, ())
        return entry
    }

    /// As ``fetchEntry(_:)`` for many keys.
    public nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        var entries = [Entry?](repeating: nil, count: keys.count)
        var others: [Int] = []
        for index in keys.indices {
            if let own = own(keys[index]) {
                entries[index] = own
            } else {
                others.append(index)
            }
        }
        if others.isEmpty { return entries }
        let read = try await view.fetchEntries(of: others.map { keys[$0] })
        for (index, entry) in zip(others, read) {
            readKeys.set(keys[index], ())
            entries[index] = entry
        }
        return entries
    }

    /// Entries of a range as this transaction sees them. What was read of the range is a condition of the commit: the
    /// range from its beginning to the last entry of the page; the whole range if the page isn't full.
    ///
    /// - Throws: `.invalidArgument` for a limit below 1, and what the view throws.
    /// - Complexity: As of the view, for the page and the keys of its part that this transaction has written.
    public nonisolated(nonsending) func fetchEntries(
        in range: KeyRange, reversed: Bool, limit: Int
    ) async throws(StoreError) -> EntryPage {
        guard limit >= 1 else {
            throw StoreError(.invalidArgument, "the limit is \(limit): a page has at least 1 entry")
        }
        // Written keys are left out of what the view has: a few more are read at once, many more in further pages.
        let (most, overflow) = limit.addingReportingOverflow(min(limit, writes.items.count))
        var entries: [Entry] = []
        var unread: KeyRange? = range
        while let part = unread, entries.count < limit {
            let page = try await view.fetchEntries(in: part, reversed: reversed, limit: overflow ? .max : most)
            // What the view has after its page isn't known here, so nothing after the page's end may be returned.
            let known = page.next == nil ? part : part.part(through: page.entries.last?.key, reversed: reversed)
            let own = writes.values(in: known)
            let read = own.isEmpty ? page.entries : page.entries.filter { writes[$0.key] == nil }
            // The page is in order already.
            entries +=
                own.isEmpty
                ? read
                : (read + own.compactMap(Self.entry)).sorted { left, right in
                    let order = KeyOrder.compare(left.key, right.key)
                    return reversed ? order > 0 : order < 0
                }
            unread = page.next
        }
        let isFull = entries.count >= limit
        if entries.count > limit { entries.removeLast(entries.count - limit) }
        guard isFull, let last = entries.last?.key else {
            note(range)
            return EntryPage(entries: entries, next: nil)
        }
        note(range.part(through: last, reversed: reversed))
        let rest = range.remainder(after: last, reversed: reversed)
        return EntryPage(entries: entries, next: rest.isEmpty ? nil : rest)
    }

    /// The number of keys of a range as this transaction sees them. The whole range is a condition of the commit.
    public nonisolated(nonsending) func fetchCount(in range: KeyRange) async throws(StoreError) -> Int {
        note(range)
        var count = try await view.fetchCount(in: range)
        let changed = writes.values(in: range)
        let before = try await view.fetchEntries(of: changed.map(\.key))
        for (write, entry) in zip(changed, before) {
            count += (write.value == nil ? 0 : 1) - (entry == nil ? 0 : 1)
        }
        return count
    }

    /// Whether it has written nothing.
    public var isReadOnly: Bool { writes.items.isEmpty }

    private func note(_ range: KeyRange) {
        if notedRanges.insert(range).inserted { readRanges.append(range) }
    }

    /// What to commit.
    var batch: KeyValueBatch {
        var batch = KeyValueBatch(operations: writes.items.map(\.value), conditions: conditions)
        for (key, _) in readKeys.items { batch.conditions.append(.unchangedKey(key, since: view)) }
        for range in readRanges { batch.conditions.append(.unchangedRange(range, since: view)) }
        return batch
    }
}
