internal import HeartwoodFileSystem

/// The entries of a range, in order, as they were when the scan was made: what is written meanwhile isn't seen.
///
/// ```swift
/// for try await (key, value) in store.scan(prefix: "user:") { print(key.count, value.count) }
/// ```
///
/// Values are read some at a time, off the cooperative pool, until they are a megabyte or more. Each iterator walks the same state
/// from the start. The state is held until scan and iterators are gone. When its task is cancelled, an iterator throws
/// `.cancelled`.
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
        private var cursor: Cursor
        private var batch: [Element] = []
        private var position = 0
        private var limit = 16
        private var isDone = false

        init(cursor: Cursor) { self.cursor = cursor }

        /// The next entry; nil at the end.
        ///
        /// - Throws: `StoreError`: `.closed`, `.corruption`, `.inputOutput`, `.cancelled`.
        public nonisolated(nonsending) mutating func next() async throws(StoreError) -> Element? {
            try await next(isolation: #isolation)
        }

        /// The next entry; nil at the end.
        ///
        /// - Throws: `StoreError`: `.closed`, `.corruption`, `.inputOutput`, `.cancelled`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Element? {
            if position == batch.count {
                if isDone { return nil }
                if Task.isCancelled { throw .cancelled }
                let (cursor, limit) = (cursor, limit)
                batch = try await BlockingPool.run { () throws(StoreError) in try Self.load(cursor, limit) }
                position = 0
                guard let last = batch.last else {
                    isDone = true
                    return nil
                }
                self.cursor.skip(through: last.key)
                self.limit = Swift.min(1_024, limit * 4)
            }
            defer { position += 1 }
            return batch[position]
        }

        /// The next entries: few at first, so that a scan that ends early has cost little.
        private static func load(_ cursor: Cursor, _ limit: Int) throws(StoreError) -> [Element] {
            var batch: [Element] = []
            var bytes = 0
            let walk = RecordWalk(cursor.paging(by: limit))
            try walk.forEach { key, _, value, _ in
                batch.append(([UInt8](key), [UInt8](value)))
                bytes += key.count + value.count
                return batch.count < limit && bytes < 1 << 20
            }
            return batch
        }
    }
}

/// The keys of a range, in order, as they were when it was made. It reads memory only, so it is a plain sequence, and
/// complete even if the store is closed meanwhile. The state is held until sequence and iterators are released.
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
        private var cursor: Cursor
        private var keys: [[UInt8]] = []
        private var position = 0

        init(cursor: Cursor) { self.cursor = cursor }

        /// The next key; nil at the end.
        public mutating func next() -> [UInt8]? {
            if position == keys.count {
                let page = KeyPage()
                guard cursor.nextEvenIfClosed(page) else { return nil }
                keys = (0..<page.count).map { page.key($0) }
                position = 0
            }
            defer { position += 1 }
            return keys[position]
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
