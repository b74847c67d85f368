/// Reading ranges of keys.
extension Store {
    /// Returns entries of a range, in order, as they are now: at most `limit`. May block on the disk.
    ///
    /// Each page shows the store as it is when the page is read. For pages of one state, use the same call of a
    /// ``ReadView``.
    ///
    /// ```swift
    /// let newest = try store.entries(in: .prefix("event:"), reversed: true, limit: 10).entries
    /// ```
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
        try readView().entries(in: range, reversed: reversed, limit: limit)
    }

    /// As ``entries(in:reversed:limit:)``, without blocking a thread of the cooperative pool. See ``fetch(_:)``.
    ///
    /// ```swift
    /// let page = try await store.fetchEntries(in: .prefix("user:"), limit: 100)
    /// ```
    ///
    /// - Throws: As ``entries(in:reversed:limit:)``. Cancellation doesn't interrupt it.
    /// - Complexity: As ``entries(in:reversed:limit:)``.
    public nonisolated(nonsending) func fetchEntries(
        in range: KeyRange = .all, reversed: Bool = false, limit: Int
    ) async throws(StoreError) -> EntryPage {
        try await readView().fetchEntries(in: range, reversed: reversed, limit: limit)
    }

    /// Returns the number of keys of a range, as they are now, without expired ones. Never blocks on the disk.
    ///
    /// ```swift
    /// let users = try store.count(in: .prefix("user:"))
    /// ```
    ///
    /// - Throws: `.closed`.
    /// - Complexity: O(log n + keys). ``statistics`` has the number of all keys, including expired ones, in O(1).
    public func count(in range: KeyRange = .all) throws(StoreError) -> Int {
        try readView().count(in: range)
    }

    /// The entries of a range, in order, as they are now.
    ///
    /// - Complexity: O(log n) to begin; each entry costs one read.
    public func scan(_ range: KeyRange = .all, reversed: Bool = false) -> Scan {
        Scan(pin: ReadPin(image), range: range, reversed: reversed)
    }

    /// The entries whose keys begin with `prefix`, in order, as they are now.
    public func scan(prefix: some ByteSource, reversed: Bool = false) -> Scan {
        scan(.prefix(prefix), reversed: reversed)
    }

    /// The entries with keys from `lower` up to but not including `upper`, in order, as they are now.
    public func scan(from lower: some ByteSource, to upper: some ByteSource, reversed: Bool = false) -> Scan {
        scan(.range(from: lower, to: upper), reversed: reversed)
    }

    /// The keys of a range, in order, as they are now, without their values. Never blocks on the disk.
    ///
    /// - Throws: `.closed`. Closing the store doesn't affect an iteration that has begun.
    /// - Complexity: O(log n) to begin.
    public func keys(in range: KeyRange = .all, reversed: Bool = false) throws(StoreError) -> Keys {
        try readView().keys(in: range, reversed: reversed)
    }

    /// Calls `body` with the entries of a range, in order, until `body` returns `.stop`. May block on the disk.
    ///
    /// - Throws: What `body` throws, or `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n + entries). Records that are close together are read together. A read pin is kept until
    ///   the call returns; no lock is held while `body` runs. Cancellation isn't checked: return `.stop`.
    public func forEach(
        in range: KeyRange = .all, reversed: Bool = false, _ body: (Entry) throws -> ScanDecision
    ) throws {
        try readView().forEach(in: range, reversed: reversed, body)
    }

    /// Calls `body` with the keys and values of a range, in order, until `body` returns `.stop`, without copying them
    /// into arrays. This is the fastest way to read many entries. May block on the disk. The bytes are valid only
    /// during the call of `body`.
    ///
    /// - Throws: What `body` throws, or `.closed`, `.corruption`, `.inputOutput`, `.tooLarge`.
    /// - Complexity: O(log n + entries). Records that are close together are read together. A read pin is kept until
    ///   the call returns; no lock is held while `body` runs. Cancellation isn't checked: return `.stop`.
    public func forEachRecord(
        in range: KeyRange = .all, reversed: Bool = false,
        _ body: (_ key: RawSpan, _ value: RawSpan) throws -> ScanDecision
    ) throws {
        try readView().forEachRecord(in: range, reversed: reversed, body)
    }

    /// Calls `body` with the keys of a range, in order, until `body` returns `.stop`. Never blocks on the disk. The
    /// bytes are valid only during the call of `body`.
    ///
    /// - Throws: What `body` throws, or `.closed`.
    /// - Complexity: O(log n + keys). A read pin is kept until the call returns; no lock is held while `body` runs.
    ///   Cancellation isn't checked: return `.stop`.
    public func forEachKey(
        in range: KeyRange = .all, reversed: Bool = false, _ body: (_ key: RawSpan) throws -> ScanDecision
    ) throws {
        try readView().forEachKey(in: range, reversed: reversed, body)
    }
}
