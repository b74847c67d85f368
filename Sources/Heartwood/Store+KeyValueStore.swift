internal import HeartwoodConcurrency
internal import HeartwoodFormat

/// The calls of ``KeyValueStore`` that a store has under no other name.
extension Store: KeyValueStore {
    /// The limits of the configuration and of the file format.
    public var limits: KeyValueLimits {
        KeyValueLimits(
            keyBytes: FormatConstants.maximumKeyBytes, valueBytes: image.maximumValueBytes,
            batchBytes: FormatConstants.maximumBatchBytes, operationOverhead: 64)
    }

    /// The time by which keys expire. O(1).
    ///
    /// It is the time of the configuration's clock, or of the newest commit if that is later at the opening. It never
    /// goes back, and passes at least as fast as ``StoreClock/monotonic()``: if the clock is set back, it continues
    /// from the latest time. A clock that is set forward is followed.
    public var now: Timestamp { image.now }

    /// Calls `body` with the bytes of a value, its sequence number and its expiry, without copying them into an array.
    /// Doesn't block a thread of the cooperative pool. See ``fetch(_:)``.
    ///
    /// - Returns: False if the key doesn't exist; `body` isn't called then.
    /// - Throws: As ``get(_:)``.
    /// - Complexity: As ``get(_:)``.
    public nonisolated(nonsending) func lendEntry(
        _ key: [UInt8], to body: (_ value: RawSpan, _ sequence: SequenceNumber, _ expires: Timestamp?) -> Void
    ) async throws(StoreError) -> Bool {
        try await reader.fetchEntry(of: key, lendingTo: body)
    }

    /// The entries of many keys, in the order of the keys, at one read point; nil for a key that has none. Doesn't
    /// block a thread of the cooperative pool.
    ///
    /// - Throws: As ``get(_:)``. One key outside the limits refuses the whole call.
    /// - Complexity: As ``fetch(all:)``.
    public nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        try await readView().fetchEntries(of: keys)
    }

    /// As ``count(in:)``, yielding to other tasks from time to time.
    ///
    /// - Throws: `.closed`.
    /// - Complexity: O(log n + keys).
    public nonisolated(nonsending) func fetchCount(in range: KeyRange) async throws(StoreError) -> Int {
        try await readView().fetchCount(in: range)
    }

    /// A read view of the newest state, with writes that are still being written. For transactions: what it shows may
    /// be lost in a crash until a write after it has returned.
    ///
    /// - Throws: `.closed`.
    /// - Complexity: O(1).
    public nonisolated(nonsending) func newestView() async throws(StoreError) -> ReadView {
        if image.isClosed { throw .closed }
        return ReadView(ReadPin(image, .newest))
    }
}

extension Store: TransactionCounter {
    package func bodyBegan() { log.withState { $0.life.bodyBegan(of: ObjectIdentifier(self)) } }

    package func bodyEnded() { log.withState { $0.life.bodyEnded() } }
}
