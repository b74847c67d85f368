internal import Heartwood

/// Deletes all keys of a range in one write.
struct RangeDeletion {
    let range: KeyRange
    let durability: Durability

    /// Deletes the keys; after a crash either all are deleted or none is.
    ///
    /// - Returns: How many keys were deleted, and the sequence number of the write; nil if there were no keys.
    /// - Throws: `StoreError`; nothing was deleted then.
    func run(on store: Store) async throws -> (deleted: Int, sequence: SequenceNumber?) {
        var batch = store.makeBatch()
        try store.readView().forEachKey(in: range) { key in
            key.withUnsafeBytes { batch.remove([UInt8]($0)) }
            return .next
        }
        if batch.isEmpty { return (0, nil) }
        return (batch.count, try await store.write(batch, durability: durability))
    }
}
