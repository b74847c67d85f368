internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Synchronization

/// Writing. Each write returns its sequence number once it is as durable as requested and every reader sees it. If the
/// task is cancelled before the write has its sequence number, the write is refused with `.cancelled`. Later
/// cancellation has no effect.
///
/// All writes throw `.invalidArgument`, `.tooLarge`, `.closed`, `.cancelled`, `.outOfSpace`, `.failed`, `.permission`,
/// `.tooManyFiles` and `.inputOutput` if nothing was written; `.conflict` if a condition doesn't hold; `.corruption` if
/// the record that a condition on a sequence number reads is damaged; and `.outcomeUnknown` if a write to the disk
/// failed while this write was in progress.
///
/// All writes are asynchronous and run on the caller's actor. Code that isn't asynchronous has the same writes on
/// ``Store/blocking``.
extension Store {
    /// Sets a key's value.
    ///
    /// - Parameters:
    ///   - key: 1 to 65,535 bytes.
    ///   - value: Up to `maximumValueBytes`; may be empty.
    ///   - expires: When the key stops existing.
    ///   - condition: What must be true of the key; otherwise `.conflict` is thrown.
    ///   - durability: If nil, that of the configuration.
    /// - Returns: The sequence number of this write.
    /// - Complexity: O(log n + bytes); `.synced` waits for one sync of the disk.
    @discardableResult
    @inlinable
    public nonisolated(nonsending) func put(
        _ key: some ByteSource, _ value: some ByteSource, expires: Expiry = .never, if condition: KeyCondition? = nil,
        durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        let write = try key.withByteBuffer { (bytes) throws(StoreError) in
            try value.withByteBuffer { (valueBytes) throws(StoreError) in
                let isLarge = valueBytes.count >= RecordEncoder.externalBytes
                return try attempt(
                    bytes, valueBytes, external: isLarge ? value.byteArray : nil, expires, condition, durability)
            }
        }
        // Returns without calling an asynchronous function if there is nothing to wait for.
        if case .done(let sequence) = write { return sequence }
        return try await finish(write, durability)
    }

    /// Removes a key, which doesn't have to exist. On a full disk, removals are accepted until the store's reserve is
    /// used up.
    ///
    /// - Parameters:
    ///   - key: 1 to 65,535 bytes.
    ///   - condition: What must be true of the key; otherwise `.conflict` is thrown.
    ///   - durability: If nil, that of the configuration.
    /// - Returns: The sequence number of this write.
    @discardableResult
    @inlinable
    public nonisolated(nonsending) func remove(
        _ key: some ByteSource, if condition: KeyCondition? = nil, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        let write = try key.withByteBuffer { (key) throws(StoreError) in
            try attemptRemoval(of: key, condition, durability)
        }
        // Returns without calling an asynchronous function if there is nothing to wait for.
        if case .done(let sequence) = write { return sequence }
        return try await finish(write, durability)
    }

    /// Removes the keys of a range, all or nothing. Exactly the keys that exist when it is written are removed, each by
    /// an operation of its own.
    ///
    /// The range is read, and the removal is written if the range hasn't changed meanwhile; otherwise it is read again.
    /// While other tasks write many keys of the range, that may repeat; remove less at a time then, by a limit.
    ///
    /// ```swift
    /// let removed = try await store.remove(in: .prefix("cache:")).value
    /// ```
    ///
    /// - Parameters:
    ///   - range: The keys.
    ///   - limit: How many keys to remove at most, at least 1; the first ones are removed. Nil for all.
    ///   - durability: If nil, that of the configuration.
    /// - Returns: The number of removed keys, and the sequence number of this write. If there was no key, that of the
    ///   newest write.
    /// - Throws: `.invalidArgument` for a limit below 1; `.tooLarge` if the batch would have more than 2 GiB, at about
    ///   40 bytes and the key for each operation.
    /// - Complexity: O(log n + keys) in time, O(keys) in memory. The keys aren't read from the disk. Other writes wait
    ///   while the range is compared, and while the batch is appended.
    @discardableResult
    public nonisolated(nonsending) func remove(
        in range: KeyRange, limit: Int? = nil, durability: Durability? = nil
    ) async throws(StoreError) -> Committed<Int> {
        try await ownTransaction(durability) { (transaction) async throws(StoreError) in
            var removal = try RangeRemoval(range, limit: limit, by: transaction)
            while try removal.removeNext() {
                if TimeSlice.isOver(isLong: true) { await TimeSlice.yield() }
            }
            return removal.count
        }
    }

    /// Changes when a key expires, and keeps its value. This is one atomic step.
    ///
    /// - Parameters:
    ///   - key: 1 to 65,535 bytes.
    ///   - expires: The new time at which the key stops existing; `.never` removes the expiry.
    ///   - durability: If nil, that of the configuration.
    /// - Returns: The sequence number of this write; nil if the key doesn't exist, and then nothing was written.
    /// - Complexity: As a `fetch` and a `put`: the value is read, off the cooperative pool, and written again. If
    ///   another write changes the key meanwhile, it reads again.
    @discardableResult
    public nonisolated(nonsending) func touch(
        _ key: some ByteSource, expires: Expiry, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber? {
        let touched = try await ownTransaction(durability) { (transaction) async throws(StoreError) in
            guard let value = try await transaction.fetch(key) else { return false }
            try transaction.put(key, value, expires: expires)
            return true
        }
        return touched.value ? touched.sequence : nil
    }

    /// A transaction whose body throws only what the store throws.
    private nonisolated(nonsending) func ownTransaction<R>(
        _ durability: Durability?, _ body: (Transaction) async throws(StoreError) -> R
    ) async throws(StoreError) -> Committed<R> {
        do {
            return try await transaction(durability: durability, body)
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("a transaction of the store's own threw \(error)")
        }
    }

    /// Writes what `body` adds to a batch, all or nothing.
    ///
    /// The error type is `any Error`, because `body` may throw anything. For typed errors, write a batch without a
    /// closure:
    ///
    /// ```swift
    /// func rename(_ store: Store) async throws(StoreError) {
    ///     var batch = store.makeBatch()
    ///     batch.put("new", "value", if: .absent)
    ///     batch.remove("old")
    ///     try await store.write(batch)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - conditions: What must be true, in addition to the conditions of the batch's operations.
    ///   - durability: If nil, that of the configuration.
    ///   - body: Adds operations to the batch. It is called once.
    /// - Returns: The sequence number of this write; for an empty batch, that of the last visible write.
    /// - Throws: What `body` throws; nothing was written then. `.conflict` if a condition doesn't hold.
    @discardableResult
    public nonisolated(nonsending) func write(
        if conditions: [Condition] = [], durability: Durability? = nil, _ body: (inout WriteBatch) throws -> Void
    ) async throws -> SequenceNumber {
        var batch = makeBatch()
        try body(&batch)
        return try await write(batch, if: conditions, durability: durability)
    }

    /// Writes a batch, all or nothing, if all conditions hold. Throws only `StoreError`.
    ///
    /// - Parameters:
    ///   - batch: The operations, from ``makeBatch()``.
    ///   - conditions: What must be true, in addition to the conditions of the batch's operations.
    ///   - durability: If nil, that of the configuration.
    /// - Returns: The sequence number of this write; for an empty batch, that of the last visible write.
    /// - Throws: `.conflict` if a condition doesn't hold.
    @discardableResult
    public nonisolated(nonsending) func write(
        _ batch: WriteBatch, if conditions: [Condition] = [], durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        if let failure = batch.failure { throw failure }
        return try await write(batch.encoded, batch.conditions + conditions, durability)
    }

    /// Makes an empty batch for ``write(_:if:durability:)``, whose errors are typed.
    public nonisolated func makeBatch() -> WriteBatch { WriteBatch(encoder) }

    /// Reads, decides and writes in isolation from other writes. For repositories, use `withTransaction`.
    ///
    /// `body` runs in the caller's task, on the newest state. If something that it read has changed when it returns, it
    /// runs again; so it must have no effects other than those on its transaction. Of several transactions in conflict,
    /// one always commits. A transaction that others overtake again and again continues until it is cancelled.
    ///
    /// Inside `body`, and in tasks that it starts, the store's own writes and transactions are refused with
    /// `.invalidArgument` while `body` runs: use the methods of the transaction. Reads of the store are allowed; the
    /// commit doesn't check what they saw. A detached task can't be told from other writers: don't wait for its writes.
    /// When `body` has ended, the transaction refuses every call with `.invalidArgument`.
    ///
    /// - Returns: What `body` returned in the run that was committed, and the sequence number of the write.
    /// - Throws: What `body` throws; nothing was written then. The error type is `any Error`, because `body` may throw
    ///   anything; the store itself throws only `StoreError`.
    /// - Complexity: O(keys and ranges that were read), and the write of a batch.
    @discardableResult
    public nonisolated(nonsending) func transaction<R>(
        durability: Durability? = nil,
        _ body: (Transaction) async throws -> R
    ) async throws -> Committed<R> {
        try checkOutsideTransaction()
        while true {
            if Task.isCancelled { throw StoreError.cancelled }
            if log.isEnded { throw StoreError.closed }
            let transaction = Transaction(ReadPin(log, .newest), encoder)
            let value = try await run(body, with: transaction)
            do throws(StoreError) {
                let sequence = try await write(transaction.encoded, transaction.conditions, durability)
                return Committed(value: value, sequence: sequence)
            } catch {
                guard error.code == .conflict else { throw error }
                await Task.yield()
            }
        }
    }

    private nonisolated(nonsending) func run<R>(
        _ body: (Transaction) async throws -> R, with transaction: Transaction
    ) async throws -> R {
        let scope = TransactionScope(self, self)
        defer {
            scope.end()
            transaction.end()
        }
        return try await TransactionScope.$current.withValue(scope) { try await body(transaction) }
    }

    /// Returns once the write with this sequence number, and all earlier ones, are on the disk. This acknowledges many
    /// writes at once, as strongly as `.synced`. It requests a sync, unless one is already coming.
    ///
    /// ```swift
    /// var last: SequenceNumber = 0
    /// for (key, value) in pairs {
    ///     last = try await store.put(key, value, durability: .buffered)
    ///     // At most 1,000 are on their way: a sync serves all that gathered during the one before.
    ///     if last > 1_000 { try await store.synced(through: last - 1_000) }
    /// }
    /// try await store.synced(through: last)
    /// ```
    ///
    /// It doesn't affect when readers see a write: a `.buffered` write may be visible long before this returns.
    ///
    /// - Parameter sequence: The sequence number that a write of this store has returned.
    /// - Throws: `.invalidArgument` for a sequence number that no write has yet, `.closed`, `.failed`,
    ///   `.outcomeUnknown`; nothing if the write is already on the disk. Cancellation doesn't interrupt it.
    public nonisolated(nonsending) func synced(through sequence: SequenceNumber) async throws(StoreError) {
        if log.syncedGate.isReached(sequence) { return }
        try log.requestSync(through: sequence)
        try await log.syncedGate.wait(for: sequence)
    }

    /// Syncs all writes accepted so far.
    ///
    /// - Returns: The sequence number up to which all writes are on the disk.
    /// - Throws: `.closed`, `.failed`, `.outcomeUnknown`. Cancellation doesn't interrupt it.
    @discardableResult
    public nonisolated(nonsending) func flush() async throws(StoreError) -> SequenceNumber {
        let sequence = try log.requestSync()
        try await log.syncedGate.wait(for: sequence)
        return sequence
    }
}
