internal import HeartwoodFormat

/// The reading half of ``KeyValueStore``: the state that the last refresh showed.
extension ReadOnlyStore: ReadableKeyValueStore {
    /// The limits of the configuration and of the file format. Another process writes the files.
    public var limits: KeyValueLimits {
        KeyValueLimits(
            keyBytes: FormatConstants.maximumKeyBytes, valueBytes: image.maximumValueBytes,
            batchBytes: FormatConstants.maximumBatchBytes, operationOverhead: 64, hasOtherWriters: true)
    }

    /// The time by which keys expire: that of the configuration's clock, or, if it is later, that of the newest commit
    /// and the time that has passed since that commit was read. It never goes back. O(1).
    public var now: Timestamp { image.now }

    /// A view of what the files have now: as ``fetchNewest()``, then ``readView()``.
    ///
    /// - Throws: As ``refresh()``.
    /// - Complexity: As ``refresh()``.
    public nonisolated(nonsending) func refreshedView() async throws(StoreError) -> ReadView {
        try await fetchNewest()
        return try readView()
    }

    /// As ``changes(after:in:level:)`` with an optional level.
    public func changes(
        after position: ChangePosition?, in range: KeyRange, level: ChangeLevel
    ) -> Changes {
        changes(after: position, in: range, level: Optional(level))
    }

    /// As ``entry(_:)``, without blocking a thread of the cooperative pool.
    ///
    /// - Throws: As ``get(_:)``. Cancellation doesn't interrupt it.
    /// - Complexity: As ``get(_:)``.
    public nonisolated(nonsending) func fetchEntry(_ key: [UInt8]) async throws(StoreError) -> Entry? {
        try await readView().fetchEntry(key)
    }

    /// As ``ReadView/fetchEntries(of:)``, of the state that the last refresh showed.
    ///
    /// - Throws: As ``get(_:)``.
    /// - Complexity: As ``ReadView/fetchEntries(of:)``.
    public nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        try await readView().fetchEntries(of: keys)
    }

    /// As ``ReadView/fetchEntries(in:reversed:limit:)``, of the state that the last refresh showed.
    ///
    /// - Throws: As ``ReadView/fetchEntries(in:reversed:limit:)``.
    /// - Complexity: As ``ReadView/fetchEntries(in:reversed:limit:)``.
    public nonisolated(nonsending) func fetchEntries(
        in range: KeyRange = .all, reversed: Bool = false, limit: Int
    ) async throws(StoreError) -> EntryPage {
        try await readView().fetchEntries(in: range, reversed: reversed, limit: limit)
    }

    /// The number of keys of a range, of the state that the last refresh showed.
    ///
    /// - Throws: `.closed`.
    /// - Complexity: O(log n + keys).
    public nonisolated(nonsending) func fetchCount(in range: KeyRange) async throws(StoreError) -> Int {
        try await readView().fetchCount(in: range)
    }
}
