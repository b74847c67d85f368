internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// A record that is ready to be written, made in the caller's task.
@usableFromInline
struct PreparedWrite: Sendable {
    let batch: EncodedBatch
    /// Where its key belongs in the index, as far as that is known.
    let hint: LeafHint
}

/// What the generic forms of writing come down to. They are specialised in the caller's module: an unspecialised one costs
/// some 200 ns a put.
extension Store {
    @inlinable
    nonisolated func prepare(
        _ key: some ByteSource, _ value: some ByteSource, _ expires: Expiry
    ) throws(StoreError) -> PreparedWrite {
        try key.withByteBuffer { (key) throws(StoreError) in
            try value.withByteBuffer { (bytes) throws(StoreError) in
                if bytes.count < RecordEncoder.externalBytes {
                    return try prepare(key, bytes, external: nil, expires)
                }
                return try prepare(key, bytes, external: value.byteArray, expires)
            }
        }
    }

    /// - Parameter external: The value again, where it is too large to be copied.
    @usableFromInline
    nonisolated func prepare(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, external: [UInt8]?, _ expires: Expiry
    ) throws(StoreError) -> PreparedWrite {
        // First, so that the leaf is on its way into the cache while the record is made.
        let hint = log.index.tree.approach(key)
        var batch = EncodedBatch()
        try encoder.put(key, value, external: external, expires: expires, to: &batch)
        return PreparedWrite(batch: batch, hint: hint)
    }

    @usableFromInline
    nonisolated func prepareRemoval(of key: UnsafeRawBufferPointer) throws(StoreError) -> PreparedWrite {
        let hint = log.index.tree.approach(key)
        var batch = EncodedBatch()
        try encoder.remove(key, from: &batch)
        return PreparedWrite(batch: batch, hint: hint)
    }

    @usableFromInline
    nonisolated(nonsending) func commit(
        _ prepared: PreparedWrite, _ durability: Durability?
    ) async throws(StoreError) -> SequenceNumber {
        try await write(prepared.batch, [], durability, hint: prepared.hint)
    }

    @usableFromInline
    nonisolated(nonsending) func commit(
        _ prepared: PreparedWrite, if condition: KeyCondition, of key: [UInt8], _ durability: Durability?
    ) async throws(StoreError) -> SequenceNumber {
        try await write(
            prepared.batch, [Condition(kind: .key(key, condition))], durability, hint: prepared.hint)
    }
}
