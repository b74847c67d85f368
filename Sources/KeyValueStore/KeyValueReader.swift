/// What can be read: a store now, a store at one moment, or a store as a transaction sees it.
///
/// A store, a view of it and a transaction have the same calls, on every engine. All calls run on the caller's actor,
/// and none blocks a thread of the cooperative pool. Cancellation doesn't have to interrupt them. An engine of this
/// machine also has the calls of ``LocalReader``, which don't suspend.
///
/// All calls throw `.invalidArgument` for a key outside the limits, `.viewEnded` if the engine no longer has the
/// moment of a view, `.closed`, and what the engine throws if it can't read: `.inputOutput`, `.corruption`.
public protocol KeyValueReader {
    /// The value of a key; nil if it is absent. By default it reads the entry.
    ///
    /// ```swift
    /// let name = try await store.fetch("user:1") ?? []
    /// ```
    nonisolated(nonsending) func fetch(_ key: some ByteSource) async throws(StoreError) -> [UInt8]?

    /// The key with its value, revision and expiry; nil if it is absent. By default it reads many keys.
    nonisolated(nonsending) func fetchEntry(_ key: [UInt8]) async throws(StoreError) -> Entry?

    /// The entries of many keys, in the order of the keys, all of one moment; nil for an absent key.
    ///
    /// - Complexity: One round trip if the engine is remote.
    nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?]

    /// Entries of a range, in key order, all of one moment: at most `limit`, which is at least 1.
    ///
    /// - Parameters:
    ///   - range: The keys.
    ///   - reversed: Whether the page begins with the last key.
    ///   - limit: How many entries to read, at least 1.
    /// - Complexity: One round trip if the engine is remote.
    nonisolated(nonsending) func fetchEntries(
        in range: KeyRange, reversed: Bool, limit: Int
    ) async throws(StoreError) -> EntryPage

    /// The number of keys of a range.
    ///
    /// - Complexity: O(keys) for some engines.
    nonisolated(nonsending) func fetchCount(in range: KeyRange) async throws(StoreError) -> Int
}

extension KeyValueReader {
    /// As ``fetch(_:)``, by reading the entry.
    public nonisolated(nonsending) func fetch(_ key: some ByteSource) async throws(StoreError) -> [UInt8]? {
        try await fetchEntry(key.byteArray)?.value
    }

    /// As ``fetchEntries(of:)``, with one key.
    public nonisolated(nonsending) func fetchEntry(_ key: [UInt8]) async throws(StoreError) -> Entry? {
        try await fetchEntries(of: [key])[0]
    }

    /// The key with its value, revision and expiry; nil if it is absent.
    ///
    /// ```swift
    /// let number = try await store.fetchEntry("user:1")?.sequence
    /// ```
    public nonisolated(nonsending) func fetchEntry(_ key: some ByteSource) async throws(StoreError) -> Entry? {
        try await fetchEntry(key.byteArray)
    }

    /// The entries of many keys, in the order of the keys, all of one moment; nil for an absent key. One key outside
    /// the limits refuses the whole call.
    ///
    /// ```swift
    /// let users = try await store.fetchEntries(of: ["user:1", "user:2"])
    /// ```
    public nonisolated(nonsending) func fetchEntries(of keys: [some ByteSource]) async throws(StoreError) -> [Entry?] {
        try await fetchEntries(of: keys.map(\.byteArray))
    }

    /// The first entries of a range, in key order, all of one moment: at most `limit`, which is at least 1. See
    /// ``fetchEntries(in:reversed:limit:)``.
    ///
    /// ```swift
    /// let page = try await store.fetchEntries(in: .prefix("user:"), limit: 100)
    /// ```
    public nonisolated(nonsending) func fetchEntries(
        in range: KeyRange = .all, limit: Int
    ) async throws(StoreError) -> EntryPage {
        try await fetchEntries(in: range, reversed: false, limit: limit)
    }

    /// The number of all keys; see ``fetchCount(in:)``.
    public nonisolated(nonsending) func fetchCount() async throws(StoreError) -> Int { try await fetchCount(in: .all) }
}

/// What lends a value instead of copying it: an engine of this machine.
package protocol LendingReader: AnyObject, Sendable {
    /// Calls `body` with the bytes of a value, its revision and its expiry. The bytes are valid only during the call.
    ///
    /// - Returns: False if the key is absent; `body` isn't called then, otherwise exactly once.
    nonisolated(nonsending) func lendEntry(
        _ key: [UInt8], to body: (_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) -> Void
    ) async throws(StoreError) -> Bool
}

/// A store at one moment. All reads see the same state, even after later writes.
///
/// A remote engine may end a view: reads then throw `.viewEnded`. ``KeyValueLimits/viewLifetime`` tells.
public protocol KeyValueView: KeyValueReader, AnyObject, Sendable {
    /// The position after the last write that it shows. Follow the changes from here.
    var position: ChangePosition { get }

    /// When the first key of a range expires; nil if none of them does. By default it reads all entries.
    nonisolated(nonsending) func fetchNextExpiry(in range: KeyRange) async throws(StoreError) -> Timestamp?

    /// The first keys of a range, in order, without their values: at most `limit`, which is at least 1. By default it
    /// reads the entries.
    nonisolated(nonsending) func fetchKeys(in range: KeyRange, limit: Int) async throws(StoreError) -> [[UInt8]]
}

extension KeyValueView {
    /// The same, by reading the entries.
    public nonisolated(nonsending) func fetchKeys(
        in range: KeyRange, limit: Int
    ) async throws(StoreError) -> [[UInt8]] {
        try await fetchEntries(in: range, reversed: false, limit: limit).entries.map(\.key)
    }

    /// The same, by reading all entries of the range.
    public nonisolated(nonsending) func fetchNextExpiry(
        in range: KeyRange
    ) async throws(StoreError) -> Timestamp? {
        var next: Timestamp?
        var rest: KeyRange? = range
        while let part = rest {
            let page = try await fetchEntries(in: part, reversed: false, limit: 1_024)
            for case let expires? in page.entries.map(\.expires) { next = min(expires, next ?? expires) }
            rest = page.next
        }
        return next
    }
}
