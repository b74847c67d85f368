/// What an engine allows.
///
/// A layer that would exceed a limit refuses the call with `.tooLarge` before it sends anything.
public struct KeyValueLimits: Sendable, Hashable {
    /// Bytes of a key.
    public var keyBytes: Int
    /// Bytes of a value.
    public var valueBytes: Int
    /// Bytes of keys and values of a batch, with ``operationOverhead`` for each operation.
    public var batchBytes: Int
    /// Bytes that each operation adds to a batch.
    public var operationOverhead: Int
    /// Operations of a batch.
    public var operations: Int
    /// Conditions of a batch.
    public var conditions: Int
    /// How long a view can be read at least; nil if as long as it is kept.
    public var viewLifetime: Duration?
    /// Expiries are rounded up to multiples of it.
    public var expiryGrain: Duration
    /// Whether programs that don't share this store object can write at the same time.
    public var hasOtherWriters: Bool

    /// Creates limits. The defaults are no limits.
    public init(
        keyBytes: Int = .max, valueBytes: Int = .max, batchBytes: Int = .max, operationOverhead: Int = 0,
        operations: Int = .max, conditions: Int = .max, viewLifetime: Duration? = nil,
        expiryGrain: Duration = .milliseconds(1), hasOtherWriters: Bool = false
    ) {
        (self.keyBytes, self.valueBytes, self.batchBytes) = (keyBytes, valueBytes, batchBytes)
        (self.operationOverhead, self.operations, self.conditions) = (operationOverhead, operations, conditions)
        (self.viewLifetime, self.expiryGrain) = (viewLifetime, expiryGrain)
        self.hasOtherWriters = hasOtherWriters
    }

    /// Those of `EtcdStore` on servers with their defaults: `--max-txn-ops` 128, `--max-request-bytes` 1.5 MiB.
    public static let etcd = KeyValueLimits(
        keyBytes: 65_535, valueBytes: 1_500_000, batchBytes: 1_500_000, operationOverhead: 32, operations: 1_024,
        conditions: 100, viewLifetime: .seconds(60), expiryGrain: .seconds(1), hasOtherWriters: true)

    /// Throws `.tooLarge` or `.invalidArgument` if a batch is outside the limits.
    ///
    /// - Complexity: O(operations).
    public func check(_ batch: WriteBatch) throws(StoreError) {
        if batch.encoder != nil { throw .batchOfAnotherStore }
        if batch.operations.count > operations || batch.conditions.count > conditions {
            throw StoreError(
                .tooLarge,
                "a batch has \(batch.operations.count) operations and \(batch.conditions.count) conditions; the engine "
                    + "allows \(operations) and \(conditions): write it as several batches")
        }
        var bytes = 0
        for operation in batch.operations {
            let valueCount = operation.value?.count ?? 0
            try check(operation.key, valueBytes: valueCount)
            bytes += operation.key.count + valueCount + operationOverhead
        }
        if bytes > batchBytes {
            throw StoreError(
                .tooLarge,
                "a batch has \(bytes) bytes, over the limit of \(batchBytes): write it as several batches")
        }
    }

    /// Refuses also a key that is in the batch twice, and a condition with a key outside the limits or with a view of
    /// another store.
    ///
    /// - Complexity: O(operations + conditions).
    package func check(
        _ batch: WriteBatch, isOfThisStore: (any KeyValueView) -> Bool
    ) throws(StoreError) {
        try check(batch)
        let isSingle = batch.operations.count == 1
        var keys = Set<HashedBytes>(minimumCapacity: isSingle ? 0 : batch.operations.count)
        for operation in batch.operations where !isSingle && !keys.insert(HashedBytes(operation.key)).inserted {
            throw StoreError(.invalidArgument, "a key is in a batch twice: write it once")
        }
        for condition in batch.conditions {
            let (key, view): ([UInt8]?, (any KeyValueView)?) =
                switch condition.kind {
                case .absent(let key), .sequence(let key, _): (key, nil)
                case .unchangedKey(let key, let view): (key, view)
                case .unchangedRange(_, let view): (nil, view)
                }
            if let key { try check(key) }
            if let view, !isOfThisStore(view) {
                throw StoreError(.invalidArgument, "a condition has a view of another store: use one of this store")
            }
        }
    }

    /// Throws `.invalidArgument` or `.tooLarge` if a key or a value is outside the limits.
    package func check(_ key: [UInt8], valueBytes count: Int) throws(StoreError) {
        try check(key)
        guard count <= valueBytes else {
            throw StoreError(.tooLarge, "a value has \(count) bytes, over the limit of \(valueBytes): split it")
        }
    }

    /// Throws `.invalidArgument` if a key is outside the limits.
    package func check(_ key: [UInt8]) throws(StoreError) {
        guard !key.isEmpty, key.count <= keyBytes else {
            throw StoreError(
                .invalidArgument, "a key has \(key.count) bytes: keys have 1 to \(keyBytes); hash a longer one")
        }
    }
}
