internal import HeartwoodConcurrency
internal import HeartwoodFormat
internal import Synchronization

/// The writes of a store for code that isn't asynchronous. Each call blocks its thread where the asynchronous method of
/// the same name suspends its task.
///
/// ```swift
/// try store.blocking.put("user:1", bytes)
/// ```
///
/// A write on ``Store`` is asynchronous, and the same write on ``Store/blocking`` blocks. Reads need no second form:
/// ``Store/get(_:)`` is synchronous, ``Store/fetch(_:)`` and ``Store/scan(_:reversed:limit:)`` are asynchronous.
///
/// In asynchronous code the compiler refuses these calls, and its message names the method to use. In Swift 5 mode it
/// warns. Synchronous closures and functions that asynchronous code calls may use them, but then they block a thread of
/// the cooperative pool. Blocked threads share syncs of the disk as tasks do, but the system has to wake each of them:
/// with many writers, tasks are several times as fast.
///
/// These methods throw what the asynchronous ones throw. They throw `.cancelled` only if the thread runs a task that
/// was cancelled before the call.
public struct BlockingStore: Sendable {
    @usableFromInline let store: Store

    @usableFromInline
    init(_ store: Store) { self.store = store }
}

extension Store {
    /// The writes of this store for code that isn't asynchronous. Each blocks its thread. O(1).
    @inlinable
    public var blocking: BlockingStore { BlockingStore(self) }
}

extension BlockingStore {
    /// Sets a key's value. Blocks until the write is as durable as requested. See
    /// ``Store/put(_:_:expires:if:durability:)``.
    @available(*, noasync, message: "this form blocks its thread: in asynchronous code use 'await store.put'")
    @discardableResult
    @inlinable
    public func put(
        _ key: some ByteSource, _ value: some ByteSource, expires: Expiry = .never, if condition: KeyCondition? = nil,
        durability: Durability? = nil
    ) throws(StoreError) -> SequenceNumber {
        let write = try key.withByteBuffer { (bytes) throws(StoreError) in
            try value.withByteBuffer { (valueBytes) throws(StoreError) in
                let isLarge = valueBytes.count >= RecordEncoder.externalBytes
                return try store.attempt(
                    bytes, valueBytes, external: isLarge ? value.byteArray : nil, expires, condition, durability)
            }
        }
        if case .done(let sequence) = write { return sequence }
        return try store.finishBlocking(write, durability)
    }

    /// Removes a key, which doesn't have to exist. Blocks until the write is as durable as requested. See
    /// ``Store/remove(_:if:durability:)``.
    @available(*, noasync, message: "this form blocks its thread: in asynchronous code use 'await store.remove'")
    @discardableResult
    @inlinable
    public func remove(
        _ key: some ByteSource, if condition: KeyCondition? = nil, durability: Durability? = nil
    ) throws(StoreError) -> SequenceNumber {
        let write = try key.withByteBuffer { (key) throws(StoreError) in
            try store.attemptRemoval(of: key, condition, durability)
        }
        if case .done(let sequence) = write { return sequence }
        return try store.finishBlocking(write, durability)
    }

    /// Removes the keys of a range, all or nothing. Blocks until the write is as durable as requested. See
    /// ``Store/remove(in:limit:durability:)``.
    @available(*, noasync, message: "this form blocks its thread: in asynchronous code use 'await store.remove'")
    @discardableResult
    public func remove(
        in range: KeyRange, limit: Int? = nil, durability: Durability? = nil
    ) throws(StoreError) -> Committed<Int> {
        var count = 0
        let sequence = try ownTransaction(durability) { (transaction) throws(StoreError) in
            count = try transaction.remove(in: range, limit: limit)
        }
        return Committed(value: count, sequence: sequence)
    }

    /// Changes when a key expires, and keeps its value. Blocks until the write is as durable as requested. See
    /// ``Store/touch(_:expires:durability:)``.
    @available(*, noasync, message: "this form blocks its thread: in asynchronous code use 'await store.touch'")
    @discardableResult
    public func touch(
        _ key: some ByteSource, expires: Expiry, durability: Durability? = nil
    ) throws(StoreError) -> SequenceNumber? {
        var isThere = false
        let sequence = try ownTransaction(durability) { (transaction) throws(StoreError) in
            isThere = try transaction.touch(key, expires: expires)
        }
        return isThere ? sequence : nil
    }

    /// A transaction whose body throws only what the store throws.
    private func ownTransaction(
        _ durability: Durability?, _ body: (Transaction) throws(StoreError) -> Void
    ) throws(StoreError) -> SequenceNumber {
        do {
            return try transaction(durability: durability, body).sequence
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("a transaction of the store's own threw \(error)")
        }
    }

    /// Writes what `body` adds to a batch, all or nothing. Blocks until the batch is as durable as requested.
    ///
    /// The error type is `any Error`, because `body` may throw anything. For typed errors, write a batch from
    /// ``Store/makeBatch()`` without a closure.
    ///
    /// - Throws: What `body` throws; nothing was written then. `.conflict` if a condition doesn't hold.
    @available(*, noasync, message: "this form blocks its thread: in asynchronous code use 'await store.write'")
    @discardableResult
    public func write(
        durability: Durability? = nil, _ body: (inout WriteBatch) throws -> Void
    ) throws -> SequenceNumber {
        var batch = store.makeBatch()
        try body(&batch)
        return try write(batch, durability: durability)
    }

    /// Writes a batch, all or nothing, if all its conditions hold. Blocks until the batch is as durable as requested.
    ///
    /// - Throws: `.conflict` if a condition doesn't hold.
    @available(*, noasync, message: "this form blocks its thread: in asynchronous code use 'await store.write'")
    @discardableResult
    public func write(
        _ batch: WriteBatch, durability: Durability? = nil
    ) throws(StoreError) -> SequenceNumber {
        try store.writeBlocking(store.encoded(batch), store.requirements(of: batch), durability)
    }

    /// Reads, decides and writes in isolation from other writes. Blocks until the write is as durable as requested. See
    /// ``KeyValueStore/KeyValueStore/transaction(durability:_:)``.
    @available(*, noasync, message: "this form blocks its thread: in asynchronous code use 'await store.transaction'")
    @discardableResult
    public func transaction<R>(
        durability: Durability? = nil, _ body: (Transaction) throws -> R
    ) throws -> Committed<R> {
        try Transaction.checkOutside(of: store)
        var attempt = 0
        while true {
            if store.image.isClosed { throw StoreError.closed }
            let transaction = Transaction(store, ReadView(ReadPin(store.image, .newest)), attempt: attempt)
            let value = try run(body, with: transaction)
            let batch = transaction.batch
            do throws(StoreError) {
                let sequence = try store.writeBlocking(
                    store.encoded(batch), store.requirements(of: batch), durability)
                transaction.finish()
                return Committed(value: value, sequence: sequence)
            } catch {
                guard error.code == .conflict else { throw error }
            }
            attempt += 1
        }
    }

    private func run<R>(_ body: (Transaction) throws -> R, with transaction: Transaction) throws -> R {
        let scope = TransactionScope(store, store)
        defer { scope.end() }
        let value = try TransactionScope.$current.withValue(scope) { try body(transaction) }
        // Only asynchronous calls of a layer add checks.
        let hasChecks = try transaction.endBody()
        precondition(!hasChecks, "a synchronous body has called what is asynchronous")
        return value
    }

    /// Blocks until the write with this sequence number, and all earlier ones, are on the disk. See
    /// ``Store/sync(through:)``.
    ///
    /// - Throws: `.invalidArgument` for a sequence number that no write has yet; `.closed`, `.failed`,
    ///   `.outcomeUnknown`.
    @available(*, noasync, message: "this form blocks its thread: in asynchronous code use 'await store.sync'")
    @discardableResult
    public func sync(through sequence: SequenceNumber? = nil) throws(StoreError) -> SequenceNumber {
        if let sequence, store.log.syncedGate.isReached(sequence) { return sequence }
        let end = try store.log.requestSync(through: sequence)
        try store.log.syncedGate.block(until: end)
        return end
    }

    /// Writes all live data into a snapshot, and deletes the log that it replaces. Blocks until that is done. See
    /// ``Store/compact(progress:)``.
    @available(*, noasync, message: "this form blocks its thread: in asynchronous code use 'await store.compact'")
    @discardableResult
    public func compact(
        progress: (@Sendable (CompactionProgress) -> Void)? = nil
    ) throws(StoreError) -> CompactionReport {
        try Sleeper.block { store.log.compact(waking: $0, progress: progress) }.get()
    }

    /// Closes the store. Blocks until it is closed. See ``Store/close()``.
    @available(*, noasync, message: "this form blocks its thread: in asynchronous code use 'await store.close'")
    public func close() throws(StoreError) { try store.log.closeBlocking() }
}

extension Store {
    @usableFromInline
    func finishBlocking(
        _ attempt: SingleWrite, _ durability: Durability?
    ) throws(StoreError) -> SequenceNumber {
        switch attempt {
        case .done(let sequence), .doneInOvertime(let sequence):
            return sequence
        case .accepted(let sequence):
            try log.visibleGate.block(until: sequence)
            return sequence
        case .batch(let late):
            return try writeBlocking(late.batch, late.conditions, durability)
        }
    }
}
