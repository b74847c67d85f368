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

    /// As ``readView()``; for a transaction the newest state, with writes that are still being written: what it shows
    /// may be lost in a crash until a write after it has returned.
    ///
    /// - Throws: `.closed`.
    /// - Complexity: O(1).
    public nonisolated(nonsending) func readView(for purpose: ViewPurpose) async throws(StoreError) -> ReadView {
        if image.isClosed { throw .closed }
        return ReadView(ReadPin(image, purpose == .transaction ? .newest : .visible))
    }
}

extension Store: TransactionCounter {
    package func bodyBegan() { log.withState { $0.life.bodyBegan(of: ObjectIdentifier(self)) } }

    package func bodyEnded() { log.withState { $0.life.bodyEnded() } }
}
