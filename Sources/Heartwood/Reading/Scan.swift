internal import HeartwoodConcurrency

/// The entries of a range, in key order, as they were when the scan was made. Later writes aren't seen.
///
/// ```swift
/// for try await entry in store.scan(.prefix("user:")) { print(entry.key.count, entry.value.count) }
/// let newest = try store.scan(.prefix("event:"), reversed: true, limit: 10).entries()
/// ```
///
/// It is read in one of several ways, each from the first entry on: as an asynchronous sequence, which blocks no
/// thread; by ``forEach(_:)``, which copies nothing; by ``entries()``; or only its keys. The state is pinned until the
/// scan and its iterators are released; they read on if the store object is released.
///
/// All ways throw `.corruption`, `.inputOutput`, and `.tooLarge` for a compressed value over `maximumValueBytes`; after
/// the store is closed, `.closed`.
public struct Scan: AsyncSequence, Sendable {
    /// A key with its value, sequence number and expiry.
    public typealias Element = Entry
    /// The only error type that iterators throw.
    public typealias Failure = StoreError

    let pin: ReadPin
    let range: KeyRange
    let reversed: Bool
    let limit: Int

    var cursor: Cursor { Cursor(pin, range: range, reversed: reversed) }

    /// The sequence number of the last write that it shows.
    public var sequence: SequenceNumber { pin.sequence }

    /// An iterator at the first entry. O(1).
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(scan: self) }

    /// Walks over the entries.
    ///
    /// Records that the system has in memory are read on the caller's thread, others on another one. A loop yields to
    /// other tasks about once a millisecond.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let pin: ReadPin
        private let reversed: Bool
        /// What isn't read yet; nil at the end.
        private var rest: KeyRange?
        private var remaining: Int
        private var batch: [Entry] = []
        private var position = 0
        private var batchSize = 16

        init(scan: Scan) {
            (pin, reversed, remaining) = (scan.pin, scan.reversed, scan.limit)
            rest = scan.limit > 0 ? scan.range : nil
        }

        /// The next entry; nil at the end.
        ///
        /// - Throws: As ``Scan``; `.cancelled` if the task is cancelled.
        public nonisolated(nonsending) mutating func next() async throws(StoreError) -> Entry? {
            try await next(isolation: #isolation)
        }

        /// The next entry; nil at the end.
        ///
        /// - Throws: As ``Scan``; `.cancelled` if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Entry? {
            if position == batch.count {
                if pin.image.isClosed { throw .closed }
                guard let rest else { return nil }
                if Task.isCancelled { throw .cancelled }
                // The first batches are small, so that a scan that ends early stays cheap.
                let collector = EntryCollector(
                    rest, reversed: reversed, limit: Swift.min(batchSize, remaining), bytes: 1 << 20)
                let page = try await pin.fetch(collector).page
                (batch, position) = (page.entries, 0)
                remaining -= batch.count
                self.rest = remaining > 0 ? page.next : nil
                batchSize = Swift.min(1_024, batchSize * 4)
                if batch.isEmpty { return nil }
            }
            defer { position += 1 }
            return batch[position]
        }
    }

    /// Calls `body` with the keys and values, in key order, until it returns `.stop`, without copying them into arrays.
    /// This is the fastest way to read many entries. May block on the disk. The bytes are valid only during the call of
    /// `body`.
    ///
    /// - Throws: As ``Scan``, or what `body` throws.
    /// - Complexity: O(log n + entries). Records that are close together are read together. No lock is held while
    ///   `body` runs. Cancellation isn't checked: return `.stop`.
    public func forEach(_ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanDecision) throws {
        try lendEntries { key, _, value, _ in try body(key.bytes, value.bytes) }
    }

    /// The same with entries, one at a time.
    package func forEachEntry(_ body: (Entry) throws -> ScanDecision) throws {
        try lendEntries { key, version, value, sequence in try body(Entry(key, version, value, sequence)) }
    }

    @inline(__always)
    private func lendEntries(
        _ body: (UnsafeRawBufferPointer, Version, UnsafeRawBufferPointer, SequenceNumber) throws -> ScanDecision
    ) throws {
        var remaining = limit
        if remaining <= 0 { return }
        var failure: (any Error)?
        try RecordWalk(cursor).forEach { key, version, value, sequence in
            do {
                if try body(key, version, value, sequence) == .stop { return false }
            } catch {
                failure = error
                return false
            }
            remaining &-= 1
            return remaining > 0
        }
        if let failure { throw failure }
    }

    /// Calls `body` with the keys, in order, until it returns `.stop`. Never blocks on the disk. The bytes are valid
    /// only during the call of `body`.
    ///
    /// - Throws: `.closed`, or what `body` throws.
    /// - Complexity: O(log n + keys). No lock is held while `body` runs. Cancellation isn't checked: return `.stop`.
    public func forEachKey(_ body: (_ key: RawSpan) throws -> ScanDecision) throws {
        var cursor = cursor
        var remaining = limit
        let page = KeyPage()
        while remaining > 0, try cursor.next(page) {
            let count = Swift.min(page.count, remaining)
            var index = 0
            while index < count {
                if try body(page.lentKey(index).bytes) == .stop { return }
                index &+= 1
            }
            remaining &-= count
        }
    }

    /// The entries, in an array. May block on the disk.
    ///
    /// - Throws: As ``Scan``.
    /// - Complexity: O(log n + entries) in time, O(entries) in memory. Records that are close together are read
    ///   together.
    public func entries() throws(StoreError) -> [Entry] {
        if limit <= 0 { return [] }
        return try pin.read(EntryCollector(range, reversed: reversed, limit: limit)).entries
    }

    /// The keys, in order. Never blocks on the disk.
    ///
    /// - Throws: `.closed`. Closing the store doesn't affect an iteration that has begun.
    public var keys: Keys {
        get throws(StoreError) {
            if pin.image.isClosed { throw .closed }
            return Keys(scan: self)
        }
    }

    /// The number of entries. Never blocks on the disk.
    ///
    /// ```swift
    /// let users = try store.scan(.prefix("user:")).count()
    /// ```
    ///
    /// - Throws: `.closed`.
    /// - Complexity: O(log n + keys). The store's statistics have the number of all keys, including expired ones, in
    ///   O(1).
    public func count() throws(StoreError) -> Int {
        if pin.image.isClosed { throw .closed }
        return Swift.min(pin.count(range), Swift.max(0, limit))
    }
}

/// The keys of a range, in order, as they were when it was made. It reads only memory, so it is a plain sequence, and
/// it stays complete even if the store is closed. The state is pinned until the sequence and its iterators are
/// released.
public struct Keys: Sequence, Sendable {
    let scan: Scan

    /// An iterator at the first key. O(1).
    public func makeIterator() -> Iterator { Iterator(cursor: scan.cursor, remaining: scan.limit) }

    /// Walks over the keys.
    public struct Iterator: IteratorProtocol {
        private var cursor: Cursor
        private var remaining: Int
        private var keys: [[UInt8]] = []
        private var position = 0

        init(cursor: Cursor, remaining: Int) { (self.cursor, self.remaining) = (cursor, remaining) }

        /// The next key; nil at the end.
        public mutating func next() -> [UInt8]? {
            if remaining <= 0 { return nil }
            if position == keys.count {
                let page = KeyPage()
                guard cursor.nextEvenIfClosed(page) else { return nil }
                keys = (0..<page.count).map { page.key($0) }
                position = 0
            }
            defer { (position, remaining) = (position + 1, remaining - 1) }
            return keys[position]
        }
    }
}
