internal import HeartwoodFormat

/// Operations that are written all or nothing, under one sequence number.
///
/// ```swift
/// try await store.write { batch in
///     batch.put("account:1", debited)
///     batch.put("account:2", credited)
///     batch.remove("transfer:17")
/// }
/// ```
///
/// Operations are encoded, checksummed and compressed as they are added, in the task that adds them. If several
/// operations have the same key, the last one counts. An operation outside the limits makes the write of the batch
/// fail.
///
/// A condition of one operation is a condition of the whole batch: if it doesn't hold, nothing of the batch is written.
public struct WriteBatch: Sendable {
    private let encoder: RecordEncoder
    private(set) var encoded = EncodedBatch()
    private(set) var failure: StoreError?
    /// What must be true for the batch to be written.
    private(set) var conditions: [Condition] = []

    init(_ encoder: RecordEncoder) { self.encoder = encoder }

    /// The number of operations.
    public var count: Int { encoded.recordCount }
    /// Whether there are no operations.
    public var isEmpty: Bool { encoded.recordCount == 0 && failure == nil }
    /// The number of bytes that the operations take in the log.
    public var encodedBytes: Int { encoded.encodedLength }

    /// Sets a key's value.
    ///
    /// - Parameters:
    ///   - key: 1 to 65,535 bytes.
    ///   - value: Up to `maximumValueBytes`; may be empty.
    ///   - expires: When the key stops existing.
    ///   - condition: What must be true of the key before the batch; otherwise writing the batch throws `.conflict`.
    ///     Operations of the same batch don't count.
    /// - Complexity: O(bytes); 13 µs and more if the value is compressed.
    @inlinable
    public mutating func put(
        _ key: some ByteSource, _ value: some ByteSource, expires: Expiry = .never, if condition: KeyCondition? = nil
    ) {
        if let condition { add(condition, on: key.byteArray) }
        key.withByteBuffer { key in
            value.withByteBuffer { bytes in
                let isExternal = bytes.count >= RecordEncoder.externalBytes
                add(key, bytes, external: isExternal ? value.byteArray : nil, expires)
            }
        }
    }

    /// - Parameter external: The value again, if it is too large to be copied.
    @usableFromInline
    mutating func add(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, external: [UInt8]?, _ expires: Expiry
    ) {
        guard failure == nil else { return }
        do throws(StoreError) {
            try encoder.put(key, value, external: external, expires: expires, to: &encoded)
        } catch {
            failure = error
        }
    }

    @usableFromInline
    mutating func add(_ condition: KeyCondition, on key: [UInt8]) {
        conditions.append(Condition(form: .key(key, condition)))
    }

    /// Removes a key, which doesn't have to exist.
    ///
    /// - Parameters:
    ///   - key: 1 to 65,535 bytes.
    ///   - condition: What must be true of the key before the batch; otherwise writing the batch throws `.conflict`.
    ///     Operations of the same batch don't count.
    @inlinable
    public mutating func remove(_ key: some ByteSource, if condition: KeyCondition? = nil) {
        if let condition { add(condition, on: key.byteArray) }
        key.withByteBuffer { key in addRemoval(of: key) }
    }

    @usableFromInline
    mutating func addRemoval(of key: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        do throws(StoreError) {
            try encoder.remove(key, from: &encoded)
        } catch {
            failure = error
        }
    }

    /// Reserves memory for `bytes` bytes, so that adding operations allocates none. Count the bytes of keys and values,
    /// and 40 bytes for each operation. No more is reserved than the largest batch has.
    public mutating func reserveCapacity(_ bytes: Int) {
        encoded.reserveCapacity(min(bytes, FormatConstants.maximumBatchBytes))
    }
}
