internal import HeartwoodConcurrency

/// The entries of a range, in key order, as they were when the scan was made. Later writes aren't seen.
///
/// ```swift
/// for try await (key, value) in store.scan(prefix: "user:") { print(key.count, value.count) }
/// ```
///
/// Values are read in batches of about a megabyte, off the cooperative pool. Each iterator starts at the first entry of
/// the same state. The state is pinned until the scan and its iterators are released; they read on if the store object
/// is released. If its task is cancelled, an iterator throws `.cancelled`; after the store is closed, `.closed`.
public struct Scan: AsyncSequence, Sendable {
    /// The key and the value.
    public typealias Element = (key: [UInt8], value: [UInt8])
    /// The only error type that iterators throw.
    public typealias Failure = StoreError

    let pin: ReadPin
    let range: KeyRange
    let reversed: Bool

    /// The sequence number of the last write that it shows.
    public var sequence: SequenceNumber { pin.sequence }

    /// An iterator at the first entry. O(1).
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(cursor: Cursor(pin, range: range, reversed: reversed))
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

        /// Loads the next entries. The first batches are small, so that a scan that ends early stays cheap.
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

/// The keys of a range, in order, as they were when it was made. It reads only memory, so it is a plain sequence, and
/// it stays complete even if the store is closed. The state is pinned until the sequence and its iterators are
/// released.
public struct Keys: Sequence, Sendable {
    let pin: ReadPin
    let range: KeyRange
    let reversed: Bool

    /// An iterator at the first key. O(1).
    public func makeIterator() -> Iterator {
        Iterator(cursor: Cursor(pin, range: range, reversed: reversed))
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
