/// Operations that are written all or nothing, and what must be true for that. See
/// ``KeyValueStore/commit(_:durability:)``.
///
/// ```swift
/// var batch = KeyValueBatch()
/// batch.put(key, value)
/// batch.conditions.append(.absent(key))
/// try await store.commit(batch, durability: nil)
/// ```
public struct KeyValueBatch: Sendable {
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

    /// The operations. No key may occur twice.
    public var operations: [Operation]
    /// What must be true of the state before the batch.
    public var conditions: [KeyValueCondition]

    /// Creates a batch.
    public init(operations: [Operation] = [], conditions: [KeyValueCondition] = []) {
        (self.operations, self.conditions) = (operations, conditions)
    }

    /// Sets a key's value. The key must not be in the batch yet.
    public mutating func put(_ key: [UInt8], _ value: [UInt8], expires: Expiry = .never) {
        operations.append(Operation(key: key, value: value, expires: expires))
    }

    /// Removes a key, which doesn't have to exist. The key must not be in the batch yet.
    public mutating func remove(_ key: [UInt8]) {
        operations.append(Operation(key: key, value: nil))
    }
}

/// What must be true of the state before a batch for the batch to be written. Keys that have expired are absent.
///
/// A batch with a view of another store is refused with `.invalidArgument`. A view that has ended may be refused with
/// `.viewEnded`. For a view that didn't show a key, a key that was set and removed since may count as unchanged.
public enum KeyValueCondition: Sendable {
    /// The key is absent.
    case absent([UInt8])
    /// The key was last set by the write with this sequence number.
    case sequence([UInt8], SequenceNumber)
    /// The key was neither set nor removed since the view was made. Its expiry doesn't count.
    case unchangedKey([UInt8], since: any KeyValueView)
    /// No key of the range was set or removed since the view was made. Expiries don't count.
    case unchangedRange(KeyRange, since: any KeyValueView)
}
