internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Synchronization

/// Writing. Each write returns its sequence number once it has survived what its durability says and every reader sees
/// it. A write is refused (`.cancelled`) when its task is cancelled before it is numbered; afterwards it runs to its
/// end, and cancellation changes nothing.
///
/// All of them throw `.invalidArgument`, `.tooLarge`, `.closed`, `.cancelled`, `.outOfSpace`, `.failed`, `.permission`,
/// `.tooManyFiles` and `.inputOutput`, where nothing was written; `.conflict` where a condition doesn't hold;
/// `.corruption` where the record that a condition on a number reads is damaged; and `.outcomeUnknown`, where a write to the disk
/// failed while this one was under way.
///
/// All of them are asynchronous and run on the caller's actor. Code that isn't asynchronous has the same writes on
/// ``Store/blocking``.
extension Store {
    /// Sets a key's value.
    ///
    /// - Parameters:
    ///   - key: 1 to 65,535 bytes.
    ///   - value: Up to `maximumValueBytes`; may be empty.
    ///   - expires: When the key ceases to exist.
    ///   - condition: What must be true of the key; `.conflict` is thrown where it isn't.
    ///   - durability: That of the configuration where it is nil.
    /// - Returns: The number of this write.
    /// - Complexity: O(log n) and the bytes; `.synced` waits for one sync of the disk.
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
        // Nobody who needn't wait pays for a call that might.
        if case .done(let sequence) = write { return sequence }
        return try await finish(write, durability)
    }

    /// Removes a key; it needn't be there. A full disk accepts removals as far as the store's reserve goes.
    ///
    /// - Parameter condition: What must be true of the key; `.conflict` is thrown where it isn't.
    /// - Returns: The number of this write.
    @discardableResult
    @inlinable
    public nonisolated(nonsending) func remove(
        _ key: some ByteSource, if condition: KeyCondition? = nil, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        let write = try key.withByteBuffer { (key) throws(StoreError) in
            try attemptRemoval(of: key, condition, durability)
        }
        // Nobody who needn't wait pays for a call that might.
        if case .done(let sequence) = write { return sequence }
        return try await finish(write, durability)
    }

    /// Changes when a key expires, and keeps its value: one step, which no other write comes between.
    ///
    /// - Parameters:
    ///   - key: 1 to 65,535 bytes.
    ///   - expires: When the key ceases to exist from now on; `.never` takes an expiry away.
    ///   - durability: That of the configuration where it is nil.
    /// - Returns: The number of this write; nil where the key isn't there, and then nothing was written.
    /// - Complexity: As a `fetch` and a `put`: the value is read, off the cooperative pool, and written again. Where other
    ///   writers overtake it, it reads again.
    @discardableResult
    public nonisolated(nonsending) func touch(
        _ key: some ByteSource, expires: Expiry, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber? {
        do {
            let touched = try await transaction(durability: durability) { transaction in
                guard let value = try await transaction.fetch(key) else { return false }
                try transaction.put(key, value, expires: expires)
                return true
            }
            return touched.value ? touched.sequence : nil
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("a transaction of the store's own threw \(error)")
        }
    }

    /// Writes what `body` puts into a batch, together or not at all.
    ///
    /// The error type is `any Error`, as `body` may throw anything. Where it should be `StoreError`, write a batch without
    /// a closure:
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
    /// - Parameter conditions: What must be true, beside the conditions of the batch's operations.
    /// - Returns: The number of this write; of the last visible one where the batch is empty.
    /// - Throws: What `body` throws; nothing was written then. `.conflict` where a condition doesn't hold.
    @discardableResult
    public nonisolated(nonsending) func write(
        if conditions: [Condition] = [], durability: Durability? = nil, _ body: (inout WriteBatch) throws -> Void
    ) async throws -> SequenceNumber {
        var batch = makeBatch()
        try body(&batch)
        return try await write(batch, if: conditions, durability: durability)
    }

    /// Writes a batch, together or not at all, where all the conditions hold. Throws only `StoreError`.
    ///
    /// - Parameter conditions: What must be true, beside the conditions of the batch's operations.
    /// - Returns: The number of this write; of the last visible one where the batch is empty.
    /// - Throws: `.conflict` where a condition doesn't hold.
    @discardableResult
    public nonisolated(nonsending) func write(
        _ batch: WriteBatch, if conditions: [Condition] = [], durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        if let failure = batch.failure { throw failure }
        return try await write(batch.encoded, batch.conditions + conditions, durability)
    }

    /// An empty batch for ``write(_:if:durability:)``, whose errors are typed.
    public nonisolated func makeBatch() -> WriteBatch { WriteBatch(encoder) }

    /// Reads, decides and writes as if nothing else happened meanwhile.
    ///
    /// `body` runs in the caller's task, on the newest state. If something that it read has changed when it is done,
    /// it runs again; so it must have no effects but those on its transaction. One of several transactions in conflict
    /// always commits; a transaction that others overtake again and again continues until it is cancelled.
    ///
    /// Inside `body`, and in tasks that it starts, the store's own writes and transactions are refused with
    /// `.invalidArgument` while `body` runs: use those of the transaction. Reads of the store are allowed; the commit
    /// doesn't check what they saw. A detached task can't be told from other writers: don't wait for a write of one.
    ///
    /// - Returns: What `body` returned, in the run that was committed, and the number of the write.
    /// - Throws: What `body` throws; nothing was written then. The error type is `any Error`, as `body` may throw
    ///   anything; the store itself throws only `StoreError`.
    /// - Complexity: O(keys and ranges that were read), and the write of a batch.
    @discardableResult
    public nonisolated(nonsending) func transaction<R>(
        durability: Durability? = nil,
        _ body: (Transaction) async throws -> R
    ) async throws -> Committed<R> {
        while true {
            if Task.isCancelled { throw StoreError.cancelled }
            if log.isEnded { throw StoreError.closed }
            let transaction = Transaction(Hold(log, .newest), encoder)
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
        let scope = try TransactionScope.begin(in: log)
        defer { scope.end(in: log) }
        return try await TransactionScope.$current.withValue(scope) { try await body(transaction) }
    }

    /// Returns once the write with this number, and all before it, are on the disk: an acknowledgement as strong as that of
    /// `.synced`, for many writes at once. It asks for a sync, unless one is coming.
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
    /// When readers see a write is as its own durability says: a `.buffered` one may be seen long before this returns.
    ///
    /// - Parameter sequence: What a write of this store has returned.
    /// - Throws: `.invalidArgument` for a number that no write has yet, `.closed`, `.failed`, `.outcomeUnknown`; nothing where
    ///   it is on the disk already. Cancellation doesn't interrupt it.
    public nonisolated(nonsending) func synced(through sequence: SequenceNumber) async throws(StoreError) {
        if log.syncedGate.isReached(sequence) { return }
        try log.requestSync(through: sequence)
        try await log.syncedGate.wait(for: sequence)
    }

    /// Brings everything that was accepted so far to the disk.
    ///
    /// - Returns: The number up to which everything is on the disk.
    /// - Throws: `.closed`, `.failed`, `.outcomeUnknown`. Cancellation doesn't interrupt it.
    @discardableResult
    public nonisolated(nonsending) func flush() async throws(StoreError) -> SequenceNumber {
        let sequence = try log.requestSync()
        try await log.syncedGate.wait(for: sequence)
        return sequence
    }
}
