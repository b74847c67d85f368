/// The entries of a page while they are read.
struct EntryCollector: Sendable {
    let range: KeyRange
    let reversed: Bool
    let limit: Int
    private(set) var entries: [Entry] = []
    /// The last key that was read.
    var last: [UInt8]? { entries.last?.key }

    /// - Throws: `.invalidArgument` for a limit below 1.
    init(_ range: KeyRange, reversed: Bool, limit: Int) throws(StoreError) {
        try EntryPage.check(limit: limit)
        self.range = range
        self.reversed = reversed
        self.limit = limit
    }

    /// Whether the limit is reached.
    var isFull: Bool { entries.count >= limit }

    /// Adds what a walk has read. Returns whether there may be more.
    mutating func add(
        _ key: UnsafeRawBufferPointer, _ version: Version, _ value: UnsafeRawBufferPointer, _ sequence: SequenceNumber
    ) -> Bool {
        entries.append(Entry(key, version, value, sequence))
        return !isFull
    }

    /// The page, once nothing more is to be added.
    var page: EntryPage {
        guard isFull, let key = entries.last?.key else { return EntryPage(entries: entries, next: nil) }
        let rest = range.remainder(after: key, reversed: reversed)
        return EntryPage(entries: entries, next: rest.isEmpty ? nil : rest)
    }
}
