/// Operations that are written all or nothing, under one sequence number, and what must be true for that.
///
/// ```swift
/// try await store.write { batch in
///     batch.put("account:1", debited)
///     batch.put("account:2", credited)
///     batch.remove("transfer:17")
/// }
/// ```
///
/// A batch that a store of this machine has made, by ``KeyValueStore/write(durability:_:)`` or
/// ``KeyValueStore/makeBatch()``, is encoded as it is filled: operations are checksummed and compressed in the task
/// that adds them. Other engines refuse it. A key should occur once: a store of this machine lets the last operation
/// count, others may refuse the batch. An operation outside the limits makes the write of the batch fail.
public struct WriteBatch: Sendable {
    /// One change of a key.
    public struct Operation: Sendable, Hashable {
        /// The key.
        public var key: [UInt8]
        /// The new value; nil removes the key, which doesn't have to exist.
        public var value: [UInt8]?
        /// When the key stops existing.
        public var expires: Expiry

        /// Creates an operation.
        public init(key: [UInt8], value: [UInt8]?, expires: Expiry = .never) {
            (self.key, self.value, self.expires) = (key, value, expires)
        }
    }

    /// The operations; none if the batch is encoded as it is filled.
    public package(set) var operations: [Operation]
    /// What must be true of the state before the batch.
    public package(set) var conditions: [Condition]
    /// Takes the operations instead, in an engine's own form. Shared with copies of the batch until one is changed.
    @usableFromInline
    package internal(set) var encoder: (any BatchEncoder)?
    /// Referenced once if no copy of the batch shares the encoder.
    private var ownership: Ownership?

    private final class Ownership: Sendable {}

    /// Values of at least this size are not copied by an encoder.
    @usableFromInline
    package static var externalBytes: Int { 1 << 20 }

    /// Creates a batch that any store can write.
    public init(operations: [Operation] = [], conditions: [Condition] = []) {
        (self.operations, self.conditions) = (operations, conditions)
    }

    /// Creates an empty batch that is encoded as it is filled.
    package init(encoder: any BatchEncoder) {
        self.init()
        (self.encoder, ownership) = (encoder, Ownership())
    }

    /// The number of operations.
    public var count: Int { encoder?.count ?? operations.count }
    /// Whether there are no operations.
    public var isEmpty: Bool { count == 0 }

    /// Sets a key's value.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - value: The value; may be empty.
    ///   - expires: When the key stops existing.
    ///   - condition: What must be true of the key before the batch. Operations of the same batch don't count. It is a
    ///     condition of the whole batch: if it doesn't hold, nothing is written.
    /// - Complexity: O(bytes); 13 µs and more if the value is compressed.
    @inlinable
    public mutating func put(
        _ key: some ByteSource, _ value: some ByteSource, expires: Expiry = .never, if condition: KeyCondition? = nil
    ) {
        if let condition { require(condition.on(key)) }
        if encoder == nil { return append(Operation(key: key.byteArray, value: value.byteArray, expires: expires)) }
        key.withByteBuffer { key in
            value.withByteBuffer { bytes in
                if expires.isNever, bytes.count < Self.externalBytes { return encode(key, bytes) }
                encode(key, bytes, external: bytes.count >= Self.externalBytes ? value.byteArray : nil, expires)
            }
        }
    }

    /// Removes a key, which doesn't have to exist.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - condition: As of ``put(_:_:expires:if:)``.
    @inlinable
    public mutating func remove(_ key: some ByteSource, if condition: KeyCondition? = nil) {
        if let condition { require(condition.on(key)) }
        if encoder == nil { return append(Operation(key: key.byteArray, value: nil)) }
        key.withByteBuffer { key in encodeRemoval(of: key) }
    }

    /// Adds a condition of the batch. O(1).
    public mutating func require(_ condition: Condition) { conditions.append(condition) }

    /// Reserves memory for `bytes` bytes, so that adding operations to a batch that is encoded allocates none. Count
    /// the bytes of keys and values, and 40 bytes for each operation.
    public mutating func reserveCapacity(_ bytes: Int) {
        if encoder == nil { return }
        own()
        encoder?.reserveCapacity(bytes)
    }

    @usableFromInline
    mutating func append(_ operation: Operation) { operations.append(operation) }

    /// Four arguments, which stay in registers.
    @usableFromInline
    mutating func encode(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        own()
        encoder.unsafelyUnwrapped.put(key, value)
    }

    @usableFromInline
    mutating func encode(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, external: [UInt8]?, _ expires: Expiry
    ) {
        own()
        encoder.unsafelyUnwrapped.put(key, value, external: external, expires: expires)
    }

    @usableFromInline
    mutating func encodeRemoval(of key: UnsafeRawBufferPointer) {
        own()
        encoder.unsafelyUnwrapped.remove(key)
    }

    /// Makes sure that no other batch has the encoder.
    private mutating func own() {
        if isKnownUniquelyReferenced(&ownership) { return }
        (encoder, ownership) = (encoder?.copy(), Ownership())
    }
}

/// An engine's own form of a batch. Only the batch that owns it changes it.
@usableFromInline
package protocol BatchEncoder: AnyObject, Sendable {
    var count: Int { get }
    func copy() -> any BatchEncoder
    /// Puts a value that is small and doesn't expire.
    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer)
    /// - Parameter external: The value again, if it is too large to be copied.
    func put(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, external: [UInt8]?, expires: Expiry)
    func remove(_ key: UnsafeRawBufferPointer)
    func reserveCapacity(_ bytes: Int)
}

extension StoreError {
    package static let batchOfAnotherStore = StoreError(
        .invalidArgument, "a batch was made by another store: make it by this store's 'write' or 'makeBatch'")
}
