/// Reading and removing ranges of keys. What was read of a range is a condition of the commit: that no other write has
/// set or removed a key there.
extension Transaction {
    /// Returns the entries of a range, in order, as this transaction sees them. May block on the disk.
    ///
    /// Entries that this transaction wrote have the sequence number 0.
    ///
    /// - Throws: `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(entries) in time and memory: the whole range is a condition of the commit.
    public func entries(in range: KeyRange, reversed: Bool = false) throws(StoreError) -> [Entry] {
        try entries(in: range, reversed: reversed, limit: .max).entries
    }

    /// Returns entries of a range, in order, as this transaction sees them: at most `limit`. May block on the disk.
    ///
    /// Only what was read is a condition of the commit: the range from its beginning to the last entry of the page; the
    /// whole range if the page isn't full. Entries that this transaction wrote have the sequence number 0.
    ///
    /// ```swift
    /// let next = try transaction.entries(in: .prefix("todo:"), limit: 1).entries.first
    /// ```
    ///
    /// - Parameters:
    ///   - range: The keys.
    ///   - reversed: Whether the page begins with the last key.
    ///   - limit: How many entries to read, at least 1. The page has fewer only if the range ends.
    /// - Throws: `.invalidArgument` for a limit below 1; `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n + entries + writes of this transaction) in time, O(entries) in memory.
    public func entries(
        in range: KeyRange = .all, reversed: Bool = false, limit: Int
    ) throws(StoreError) -> EntryPage {
        finish(try pin.read(collector(range, reversed, limit)))
    }

    /// As ``entries(in:reversed:limit:)``, without blocking a thread of the cooperative pool. See ``Store/fetch(_:)``.
    ///
    /// - Throws: As ``entries(in:reversed:limit:)``. Cancellation doesn't interrupt it.
    /// - Complexity: As ``entries(in:reversed:limit:)``.
    public nonisolated(nonsending) func fetchEntries(
        in range: KeyRange = .all, reversed: Bool = false, limit: Int
    ) async throws(StoreError) -> EntryPage {
        finish(try await pin.fetch(collector(range, reversed, limit)))
    }

    private func collector(
        _ range: KeyRange, _ reversed: Bool, _ limit: Int
    ) throws(StoreError) -> EntryCollector {
        try checkOpen()
        return try EntryCollector(range, reversed: reversed, limit: limit, excluded: Set(writtenKeys(in: range)))
    }

    /// Adds this transaction's own entries, and notes what was read.
    private func finish(_ collector: EntryCollector) -> EntryPage {
        var collector = collector
        collector.merge(collector.excluded.compactMap { key in writes[key].flatMap { ownEntry(key, $0) } })
        let end = collector.isFull ? collector.entries.last?.key : nil
        note(collector.range.part(through: end, reversed: collector.reversed))
        return collector.page
    }

    /// Returns the number of keys of a range, as this transaction sees them. No I/O. The whole range is a condition of
    /// the commit.
    ///
    /// - Throws: `.closed`.
    /// - Complexity: O(log n + keys + writes of this transaction).
    public func count(in range: KeyRange = .all) throws(StoreError) -> Int {
        try checkOpen()
        if pin.log.isEnded { throw .closed }
        var count = note(range)
        for key in writtenKeys(in: range) {
            if pin.shows(key) { count -= 1 }
            if let write = writes[key], alive(write) != nil { count += 1 }
        }
        return count
    }

    /// Removes the keys of a range when the transaction commits. No I/O.
    ///
    /// The keys that this transaction sees are removed, each by an operation of its own. What was read of the range is
    /// a condition of the commit, as in ``entries(in:reversed:limit:)``.
    ///
    /// - Parameters:
    ///   - range: The keys.
    ///   - limit: How many keys to remove at most, at least 1; the first ones are removed. Nil for all.
    /// - Returns: The number of removed keys.
    /// - Throws: `.invalidArgument` for a limit below 1; `.tooLarge` if the transaction would write more than 2 GiB;
    ///   `.closed`. After an error, some of the keys may be removed when the transaction commits.
    /// - Complexity: O(log n + keys + writes of this transaction) in time; O(keys) in memory.
    @discardableResult
    public func remove(in range: KeyRange, limit: Int? = nil) throws(StoreError) -> Int {
        var removal = try RangeRemoval(range, limit: limit, by: self)
        while try removal.removeNext() {}
        return removal.count
    }

    func writtenKeys(in range: KeyRange) -> [[UInt8]] {
        writes.keys.filter { lend($0) { range.contains($0) } }
    }
}

/// The removal of a range by a transaction, in pieces, so that a task can let others run in between.
struct RangeRemoval {
    private let transaction: Transaction
    private let range: KeyRange
    private let limit: Int
    private var cursor: Cursor
    private let page = KeyPage()
    /// The keys of the range that exist because the transaction has written them, in descending order.
    private var own: [[UInt8]]
    private var last: [UInt8]?
    /// How many keys are removed.
    private(set) var count = 0

    init(_ range: KeyRange, limit: Int?, by transaction: Transaction) throws(StoreError) {
        try transaction.checkOpen()
        if let limit { try EntryCollector.check(limit) }
        self.transaction = transaction
        self.range = range
        self.limit = limit ?? .max
        cursor = Cursor(transaction.pin, range: range, reversed: false)
        own = transaction.writtenKeys(in: range)
            .filter { transaction.writes[$0].flatMap { transaction.alive($0) } != nil }
            .sorted { KeyOrder.compare($0, $1) > 0 }
    }

    /// Removes some keys. Returns whether there may be more.
    mutating func removeNext() throws(StoreError) -> Bool {
        let hasMore = try cursor.next(page)
        for index in 0..<page.count {
            let key = page.key(index)
            try removeOwn(before: key)
            if count == limit { break }
            if transaction.writes[key] == nil { try remove(key) }
        }
        if !hasMore { try removeOwn(before: nil) }
        if hasMore && count < limit { return true }
        transaction.note(range.part(through: count == limit ? last : nil, reversed: false))
        return false
    }

    private mutating func removeOwn(before key: [UInt8]?) throws(StoreError) {
        while count < limit, let next = own.last, key.map({ KeyOrder.compare(next, $0) < 0 }) ?? true {
            own.removeLast()
            try remove(next)
        }
    }

    private mutating func remove(_ key: [UInt8]) throws(StoreError) {
        try transaction.remove(key)
        last = key
        count += 1
    }
}
