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

    /// As ``readView()``; for an observation what the files have now: as ``refresh()`` before.
    ///
    /// - Throws: As ``refresh()``.
    /// - Complexity: As ``refresh()``.
    public nonisolated(nonsending) func readView(for purpose: ViewPurpose) async throws(StoreError) -> ReadView {
        if purpose == .observation { try await refresh() }
        return try readView()
    }

    /// As ``changes(after:in:level:)`` with an optional level.
    public func changes(
        after position: ChangePosition?, in range: KeyRange, level: ChangeLevel
    ) -> Changes {
        changes(after: position, in: range, level: Optional(level))
    }
}
