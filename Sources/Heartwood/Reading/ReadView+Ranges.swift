internal import HeartwoodConcurrency

extension ReadView: LocalKeyValueView {
    package func lendEntry(
        of key: [UInt8], _ body: (RawSpan, SequenceNumber, Timestamp?) -> Void
    ) throws(StoreError) {
        try lend(key) { (key) throws(StoreError) in try lendEntry(of: key, body) }
    }

    package func firstKeys(in range: KeyRange, limit: Int) throws(StoreError) -> [[UInt8]] {
        Array(try keys(in: range).prefix(limit))
    }
}

/// Reading ranges of keys.
extension ReadView {
    /// Entries of a range, in key order: at most `limit`. May block on the disk.
    ///
    /// - Parameters:
    ///   - range: The keys.
    ///   - reversed: Whether the page begins with the last key.
    ///   - limit: How many entries to read, at least 1. The page has fewer only if the range ends.
    /// - Throws: `.invalidArgument` for a limit below 1; `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n + entries) in time, O(entries) in memory. Records that are close together are read
    ///   together.
    public func entries(
        in range: KeyRange = .all, reversed: Bool = false, limit: Int
    ) throws(StoreError) -> EntryPage {
        try pin.read(EntryCollector(range, reversed: reversed, limit: limit)).page
    }

    /// As ``entries(in:reversed:limit:)``, without blocking a thread of the cooperative pool. See ``Store/fetch(_:)``.
    ///
    /// - Throws: As ``entries(in:reversed:limit:)``. Cancellation doesn't interrupt it.
    /// - Complexity: As ``entries(in:reversed:limit:)``.
    public nonisolated(nonsending) func fetchEntries(
        in range: KeyRange = .all, reversed: Bool = false, limit: Int
    ) async throws(StoreError) -> EntryPage {
        try await pin.fetch(EntryCollector(range, reversed: reversed, limit: limit)).page
    }

    /// The number of keys of a range, without expired ones. No I/O.
    ///
    /// - Throws: `.closed`.
    /// - Complexity: O(log n + keys).
    public func count(in range: KeyRange = .all) throws(StoreError) -> Int {
        if pin.image.isClosed { throw .closed }
        return pin.count(range)
    }

    /// As ``count(in:)``, yielding to other tasks from time to time.
    ///
    /// - Throws: `.closed`.
    /// - Complexity: O(log n + keys).
    public nonisolated(nonsending) func fetchCount(in range: KeyRange) async throws(StoreError) -> Int {
        var count = 0
        try await forEachPage(of: range) { count += $0.count }
        return count
    }

    /// The first keys of a range, in order: at most `limit`. No I/O.
    ///
    /// - Throws: `.invalidArgument` for a limit below 1; `.closed`.
    /// - Complexity: O(log n + keys).
    public nonisolated(nonsending) func fetchKeys(
        in range: KeyRange, limit: Int
    ) async throws(StoreError) -> [[UInt8]] {
        try EntryPage.check(limit: limit)
        var cursor = Cursor(pin, range: range, reversed: false).paging(by: min(limit, 1_024))
        let page = KeyPage()
        var keys: [[UInt8]] = []
        while keys.count < limit, try cursor.next(page) {
            for index in 0..<min(page.count, limit - keys.count) { keys.append(page.key(index)) }
            if TimeSlice.isOver(isLong: true) { await TimeSlice.yield() }
        }
        return keys
    }

    /// When the first key of a range expires; nil if none of them does. No I/O. Yields to other tasks from time to
    /// time.
    ///
    /// - Throws: `.closed`.
    /// - Complexity: O(log n + keys).
    public nonisolated(nonsending) func fetchNextExpiry(
        in range: KeyRange
    ) async throws(StoreError) -> Timestamp? {
        var next: Timestamp?
        try await forEachPage(of: range) { page in
            for index in 0..<page.count {
                if let expires = page.version(index).expires { next = min(expires, next ?? expires) }
            }
        }
        return next
    }

    /// Walks over keys in memory, yielding to other tasks from time to time.
    private nonisolated(nonsending) func forEachPage(
        of range: KeyRange, _ body: (KeyPage) -> Void
    ) async throws(StoreError) {
        var cursor = Cursor(pin, range: range, reversed: false).paging(by: 1_024)
        let page = KeyPage()
        while try cursor.next(page) {
            body(page)
            if TimeSlice.isOver(isLong: true) { await TimeSlice.yield() }
        }
    }

    /// The entries of a range, in key order.
    public func scan(_ range: KeyRange = .all, reversed: Bool = false) -> Scan {
        Scan(pin: pin, range: range, reversed: reversed)
    }

    /// The entries whose keys begin with `prefix`, in key order.
    public func scan(prefix: some ByteSource, reversed: Bool = false) -> Scan {
        scan(.prefix(prefix), reversed: reversed)
    }

    /// The keys of a range, in order, without values. No I/O.
    ///
    /// - Throws: `.closed`. Closing the store doesn't affect a walk that has started.
    /// - Complexity: O(log n) to start.
    public func keys(in range: KeyRange = .all, reversed: Bool = false) throws(StoreError) -> Keys {
        if pin.image.isClosed { throw .closed }
        return Keys(pin: pin, range: range, reversed: reversed)
    }

    /// Calls `body` with the entries of a range, in key order, until it returns `.stop`. May block on the disk.
    ///
    /// - Throws: What `body` throws, or `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n + entries); records that are close together are read together. The state is pinned until
    ///   the call returns. No lock is held while `body` runs. Cancellation isn't checked: return `.stop` instead.
    public func forEach(
        in range: KeyRange = .all, reversed: Bool = false, _ body: (Entry) throws -> ScanDecision
    ) throws {
        try lendEntries(of: range, reversed) { key, version, value, sequence in
            try body(Entry(key, version, value, sequence))
        }
    }

    /// Calls `body` with the keys and values of a range, in key order, until it returns `.stop`. It makes no arrays, so
    /// it is the fastest way to read many entries. May block on the disk. The bytes are valid only during the call of
    /// `body`.
    ///
    /// - Throws: What `body` throws, or `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n + entries); records that are close together are read together. The state is pinned until
    ///   the call returns. No lock is held while `body` runs. Cancellation isn't checked: return `.stop` instead.
    public func forEachRecord(
        in range: KeyRange = .all, reversed: Bool = false,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanDecision
    ) throws {
        try lendEntries(of: range, reversed) { key, _, value, _ in try body(key.bytes, value.bytes) }
    }

    /// Calls `body` with the keys of a range, in order, until it returns `.stop`. No I/O. The bytes are valid only
    /// during the call of `body`.
    ///
    /// - Throws: What `body` throws, or `.closed`.
    /// - Complexity: O(log n + keys). The state is pinned until the call returns. No lock is held while `body` runs.
    ///   Cancellation isn't checked: return `.stop` instead.
    public func forEachKey(
        in range: KeyRange = .all, reversed: Bool = false, _ body: (_ key: RawSpan) throws -> ScanDecision
    ) throws {
        var cursor = Cursor(pin, range: range, reversed: reversed)
        let page = KeyPage()
        while try cursor.next(page) {
            let count = page.count
            var index = 0
            while index < count {
                if try body(page.lentKey(index).bytes) == .stop { return }
                index &+= 1
            }
        }
    }

    @inline(__always)
    private func lendEntries(
        of range: KeyRange, _ reversed: Bool,
        _ body: (UnsafeRawBufferPointer, Version, UnsafeRawBufferPointer, SequenceNumber) throws -> ScanDecision
    ) throws {
        let walk = RecordWalk(pin, range: range, reversed: reversed)
        var failure: (any Error)?
        try walk.forEach { key, version, value, sequence in
            do {
                return try body(key, version, value, sequence) == .next
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }
}
