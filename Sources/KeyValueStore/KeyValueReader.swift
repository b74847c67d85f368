/// What can be read: a store now, a store at one moment, or a store as a transaction sees it.
///
/// The names are those of Heartwood's `Store` and `ReadView`, which conform without any code of their own where the
/// calls are the same. All calls run on the caller's actor, and none blocks a thread of the cooperative pool.
/// Cancellation doesn't have to interrupt them.
///
/// All calls throw `.invalidArgument` for a key outside the limits, `.viewEnded` if the engine no longer has the
/// moment of a view, `.closed`, and what the engine throws if it can't read: `.inputOutput`, `.corruption`.
public protocol KeyValueReader {
    /// The key with its value, revision and expiry; nil if it is absent.
    nonisolated(nonsending) func fetchEntry(_ key: [UInt8]) async throws(StoreError) -> Entry?

    /// The entries of many keys, in the order of the keys, all of one moment; nil for an absent key.
    ///
    /// - Complexity: One round trip if the engine is remote.
    nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?]

    /// Calls `body` with the bytes of a value, its revision and its expiry, without a copy where the engine has none
    /// to make. The bytes are valid only during the call.
    ///
    /// - Returns: False if the key is absent; `body` isn't called then, otherwise exactly once.
    nonisolated(nonsending) func lendEntry(
        _ key: [UInt8], to body: (_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) -> Void
    ) async throws(StoreError) -> Bool

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
    /// For engines that have to copy anyway.
    public nonisolated(nonsending) func lendEntry(
        _ key: [UInt8], to body: (_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) -> Void
    ) async throws(StoreError) -> Bool {
        guard let entry = try await fetchEntry(key) else { return false }
        body(entry.value.span.bytes, entry.sequence, entry.expires)
        return true
    }
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
