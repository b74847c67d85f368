/// The entries of a page while they are read.
struct EntryCollector: Sendable {
    let range: KeyRange
    let reversed: Bool
    let limit: Int
    /// Keys that are left out, because a transaction has written them.
    let excluded: Set<[UInt8]>
    private(set) var entries: [Entry] = []
    /// The last key that was read, also if it was left out.
    private(set) var last: [UInt8]?

    /// - Throws: `.invalidArgument` for a limit below 1.
    init(_ range: KeyRange, reversed: Bool, limit: Int, excluded: Set<[UInt8]> = []) throws(StoreError) {
        try Self.check(limit)
        self.range = range
        self.reversed = reversed
        self.limit = limit
        self.excluded = excluded
    }

    static func check(_ limit: Int) throws(StoreError) {
        if limit < 1 { throw StoreError(.invalidArgument, "a limit of \(limit): it must be at least 1") }
    }

    /// Whether the limit is reached.
    var isFull: Bool { entries.count >= limit }

    /// Adds what a walk has read. Returns whether there may be more.
    mutating func add(
        _ key: UnsafeRawBufferPointer, _ version: Version, _ value: UnsafeRawBufferPointer, _ sequence: SequenceNumber
    ) -> Bool {
        let entry = Entry(key, version, value, sequence)
        last = entry.key
        if excluded.isEmpty || !excluded.contains(entry.key) { entries.append(entry) }
        return !isFull
    }

    /// Adds entries of excluded keys, and keeps as many as the limit allows.
    mutating func merge(_ others: [Entry]) {
        if others.isEmpty { return }
        entries += others
        entries.sort { KeyOrder.compare($0.key, $1.key) < 0 }
        if reversed { entries.reverse() }
        if entries.count > limit { entries.removeLast(entries.count - limit) }
    }

    /// The page, once nothing more is to be added.
    var page: EntryPage {
        guard isFull, let key = entries.last?.key else { return EntryPage(entries: entries, next: nil) }
        let rest = range.remainder(after: key, reversed: reversed)
        return EntryPage(entries: entries, next: rest.isEmpty ? nil : rest)
    }
}
