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
        var count = 0
        let sequence = try await ownTransaction(durability) { (transaction) async throws(StoreError) in
            count = try await transaction.remove(in: range, limit: limit)
        }
        return Committed(value: count, sequence: sequence)
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
        var isThere = false
        let sequence = try await ownTransaction(durability) { (transaction) async throws(StoreError) in
            isThere = try await transaction.touch(key, expires: expires)
        }
        return isThere ? sequence : nil
    }

    /// Writes a batch, all or nothing, if all its conditions hold.
    ///
    /// - Parameters:
    ///   - batch: The operations and conditions.
    ///   - durability: If nil, that of the configuration.
    /// - Returns: The sequence number of this write; for an empty batch, that of the last visible write.
    /// - Throws: `.conflict` if a condition doesn't hold; `.invalidArgument` for a condition with a view of another
    ///   store.
    @discardableResult
    public nonisolated(nonsending) func write(
        _ batch: WriteBatch, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        if let operation = single(of: batch) {
            guard let value = operation.value else { return try await remove(operation.key, durability: durability) }
            return try await put(operation.key, value, expires: operation.expires, durability: durability)
        }
        return try await write(encoded(batch), requirements(of: batch), durability)
    }

    /// Makes an empty batch, which is encoded as it is filled.
    public func makeBatch() -> WriteBatch { WriteBatch(encoder: EncodedWrites(encoder)) }

    /// The operation of a batch that has nothing else.
    private func single(of batch: WriteBatch) -> WriteBatch.Operation? {
        batch.conditions.isEmpty && batch.operations.count == 1 ? batch.operations[0] : nil
    }

    func requirements(of batch: WriteBatch) throws(StoreError) -> [Requirement] {
        var requirements: [Requirement] = []
        requirements.reserveCapacity(batch.conditions.count)
        for condition in batch.conditions { requirements.append(try Requirement(condition, of: image)) }
        return requirements
    }

    func encoded(_ batch: WriteBatch) throws(StoreError) -> EncodedBatch {
        let writes: EncodedWrites
        if let encoder = batch.encoder {
            guard let own = encoder as? EncodedWrites else { throw .batchOfAnotherStore }
            writes = own
        } else {
            writes = EncodedWrites(encoder)
            // All keys of the batch expire at one moment.
            let now = image.now
            for operation in batch.operations { writes.add(operation, now) }
        }
        if let failure = writes.failure { throw failure }
        return writes.encoded
    }

    /// Returns once the write with this sequence number, and all earlier ones, are on the disk. This acknowledges many
    /// writes at once, as strongly as `.synced`. It requests a sync, unless one is already coming.
    ///
    /// ```swift
    /// var last: SequenceNumber = 0
    /// for (key, value) in pairs {
    ///     last = try await store.put(key, value, durability: .buffered)
    ///     // At most 1,000 are on their way: a sync serves all that gathered during the one before.
    ///     if last > 1_000 { try await store.sync(through: last - 1_000) }
    /// }
    /// try await store.sync(through: last)
    /// ```
    ///
    /// It doesn't affect when readers see a write: a `.buffered` write may be visible long before this returns.
    ///
    /// - Parameter sequence: The sequence number that a write of this store has returned; nil for all writes accepted
    ///   so far.
    /// - Returns: The sequence number up to which all writes are on the disk.
    /// - Throws: `.invalidArgument` for a sequence number that no write has yet, `.closed`, `.failed`,
    ///   `.outcomeUnknown`; nothing if the write is already on the disk. Cancellation doesn't interrupt it.
    @discardableResult
    public nonisolated(nonsending) func sync(
        through sequence: SequenceNumber? = nil
    ) async throws(StoreError) -> SequenceNumber {
        if let sequence, log.syncedGate.isReached(sequence) { return sequence }
        let end = try log.requestSync(through: sequence)
        try await log.syncedGate.wait(for: end)
        return end
    }
}
