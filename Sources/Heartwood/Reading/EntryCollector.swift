/// The entries of a page while they are read.
struct EntryCollector: Sendable {
    let range: KeyRange
    let reversed: Bool
    let limit: Int
    /// How many bytes it may still read: a page with fewer entries ends by them.
    private var bytes: Int
    private(set) var entries: [Entry] = []
    /// The last key that was read.
    var last: [UInt8]? { entries.last?.key }

    init(_ range: KeyRange, reversed: Bool, limit: Int, bytes: Int = .max) {
        assert(limit >= 1)
        self.bytes = bytes
        self.range = range
        self.reversed = reversed
        self.limit = limit
    }

    /// Whether a limit is reached.
    var isFull: Bool { entries.count >= limit || bytes <= 0 }

    /// Adds what a walk has read. Returns whether there may be more.
    mutating func add(
        _ key: UnsafeRawBufferPointer, _ version: Version, _ value: UnsafeRawBufferPointer, _ sequence: SequenceNumber
    ) -> Bool {
        entries.append(Entry(key, version, value, sequence))
        bytes -= key.count + value.count
        return !isFull
    }

    /// The page, once nothing more is to be added.
    var page: EntryPage {
        guard isFull, let key = entries.last?.key else { return EntryPage(entries: entries, next: nil) }
        let rest = range.remainder(after: key, reversed: reversed)
        return EntryPage(entries: entries, next: rest.isEmpty ? nil : rest)
    }
}
