internal import HeartwoodFileSystem

/// The entries of a range, in order, as they were when the scan was made: what is written meanwhile isn't seen.
///
/// ```swift
/// for try await (key, value) in store.scan(prefix: "user:") { … }
/// ```
///
/// Values are read in pages, off the cooperative pool. Each iterator walks the same state from the start. The state is
/// held until scan and iterators are gone. When its task is cancelled, an iterator throws `.cancelled`.
public struct Scan: AsyncSequence, Sendable {
    /// The key and the value.
    public typealias Element = (key: [UInt8], value: [UInt8])
    /// Iterators throw nothing else.
    public typealias Failure = StoreError

    let hold: Hold
    let range: KeyRange
    let reversed: Bool

    /// The sequence number whose state it shows.
    public var sequence: SequenceNumber { hold.sequence }

    /// An iterator at the first entry. O(1).
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(cursor: Cursor(hold, range: range, reversed: reversed))
    }

    /// Walks over the entries.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var cursor: Cursor
        private var page: [Entry] = []
        private var position = 0

        init(cursor: Cursor) { self.cursor = cursor }

        /// The next entry; nil at the end.
        ///
        /// - Throws: `StoreError`: `.closed`, `.corruption`, `.inputOutput`, `.cancelled`.
        public mutating func next() async throws(StoreError) -> Element? {
            try await next(isolation: nil)
        }

        /// The next entry; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Element? {
            if position == page.count {
                if Task.isCancelled { throw .cancelled }
                guard let (page, cursor) = try await Self.load(cursor) else { return nil }
                self.page = page
                self.cursor = cursor
                position = 0
            }
            defer { position += 1 }
            return (page[position].key, page[position].value)
        }

        private static func load(_ cursor: Cursor) async throws(StoreError) -> ([Entry], Cursor)? {
            try await BlockingPool.run { () throws(StoreError) in
                var cursor = cursor
                guard let keys = try cursor.nextPage() else { return nil }
                let reader = cursor.hold.reader
                var page: [Entry] = []
                page.reserveCapacity(keys.count)
                for entry in keys { page.append(try reader.entry(entry.key, entry.version)) }
                return (page, cursor)
            }
        }
    }
}

/// The keys of a range, in order, as they were when it was made. Needs no I/O, so it is a plain sequence; it ends
/// early if the store is closed meanwhile.
public struct Keys: Sequence, Sendable {
    let hold: Hold
    let range: KeyRange
    let reversed: Bool

    /// An iterator at the first key. O(1).
    public func makeIterator() -> Iterator {
        Iterator(cursor: Cursor(hold, range: range, reversed: reversed))
    }

    /// Walks over the keys.
    public struct Iterator: IteratorProtocol {
        var cursor: Cursor
        private var page: [IndexEntry] = []
        private var position = 0

        init(cursor: Cursor) { self.cursor = cursor }

        /// The next key; nil at the end.
        public mutating func next() -> [UInt8]? {
            if position == page.count {
                guard let page = try? cursor.nextPage() else { return nil }
                self.page = page
                position = 0
            }
            defer { position += 1 }
            return page[position].key
        }
    }
}

/// Whether a synchronous scan goes on.
public enum ScanDecision: Sendable, Hashable {
    /// Show the next entry.
    case next
    /// That's enough.
    case stop
}
