internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Writing. Each write returns its sequence number once it has survived what its durability says and every reader sees
/// it. A write is refused (`.cancelled`) when its task is cancelled before it is numbered; afterwards it runs to its
/// end, and cancellation changes nothing.
///
/// All of them throw `.invalidArgument`, `.tooLarge`, `.closed`, `.cancelled`, `.outOfSpace`, `.failed`, `.permission`,
/// `.tooManyFiles` and `.inputOutput`, where nothing was written; and `.outcomeUnknown`, where a write to the disk
/// failed while this one was under way.
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
    public nonisolated func put(
        _ key: some ByteSource, _ value: some ByteSource, expires: Expiry = .never, if condition: KeyCondition? = nil,
        durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        var batch = EncodedBatch()
        try encoder.put(key, value, expires: expires, to: &batch)
        return try await write(batch, Self.conditions(key, condition), durability)
    }

    /// Removes a key; it needn't be there.
    ///
    /// - Parameter condition: What must be true of the key; `.conflict` is thrown where it isn't.
    /// - Returns: The number of this write.
    @discardableResult
    public nonisolated func remove(
        _ key: some ByteSource, if condition: KeyCondition? = nil, durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        var batch = EncodedBatch()
        try encoder.remove(key, from: &batch)
        return try await write(batch, Self.conditions(key, condition), durability)
    }

    /// Writes what `body` puts into a batch, together or not at all.
    ///
    /// - Returns: The number of this write; of the last visible one where the batch is empty.
    /// - Throws: What `body` throws; nothing was written then.
    @discardableResult
    public nonisolated func write(
        if conditions: [Condition] = [], durability: Durability? = nil, _ body: (inout WriteBatch) throws -> Void
    ) async throws -> SequenceNumber {
        var batch = makeBatch()
        try body(&batch)
        return try await write(batch, if: conditions, durability: durability)
    }

    /// Writes a batch, together or not at all, where all the conditions hold.
    ///
    /// - Returns: The number of this write; of the last visible one where the batch is empty.
    /// - Throws: `.conflict` where a condition doesn't hold.
    @discardableResult
    public nonisolated func write(
        _ batch: WriteBatch, if conditions: [Condition] = [], durability: Durability? = nil
    ) async throws(StoreError) -> SequenceNumber {
        if let failure = batch.failure { throw failure }
        return try await write(batch.encoded, conditions, durability)
    }

    /// An empty batch for ``write(_:if:durability:)``.
    public nonisolated func makeBatch() -> WriteBatch { WriteBatch(encoder) }

    /// Reads, decides and writes as if nothing else happened meanwhile.
    ///
    /// `body` runs in the caller's task, on the newest state. If something that it read has changed when it is done,
    /// it runs again; so it must have no effects but those on its transaction. Somebody always gets through; a
    /// transaction that others overtake again and again goes on until it is cancelled.
    ///
    /// - Returns: What `body` returned, in the run that was committed, and the number of the write.
    /// - Throws: What `body` throws; nothing was written then.
    @discardableResult
    public nonisolated(nonsending) func transaction<R>(
        durability: Durability? = nil,
        _ body: (Transaction) async throws -> R
    ) async throws -> Committed<R> {
        while true {
            if Task.isCancelled { throw StoreError.cancelled }
            if log.isEnded { throw StoreError.closed }
            let transaction = Transaction(Hold(log, .newest), encoder)
            let value = try await body(transaction)
            do throws(StoreError) {
                let sequence = try await write(transaction.encoded, transaction.conditions, durability)
                return Committed(value: value, sequence: sequence)
            } catch {
                guard error.code == .conflict else { throw error }
                await Task.yield()
            }
        }
    }

    /// Brings everything that was accepted so far to the disk.
    ///
    /// - Returns: The number up to which everything is on the disk.
    /// - Throws: `.closed`, `.failed`, `.outcomeUnknown`. Cancellation doesn't interrupt it.
    @discardableResult
    public nonisolated func flush() async throws(StoreError) -> SequenceNumber {
        let sequence = try log.requestSync()
        try await log.syncedGate.wait(for: sequence)
        return sequence
    }

    /// The way of every write: into the actor, and then, outside of it, until it is what was promised.
    @discardableResult
    private nonisolated func write(
        _ batch: EncodedBatch, _ conditions: [Condition], _ durability: Durability?
    ) async throws(StoreError) -> SequenceNumber {
        let durability = durability ?? log.configuration.durability
        let conditions = conditions.isEmpty ? conditions : try await resolved(conditions)
        guard batch.recordCount > 0 else {
            return try await confirm(conditions)
        }
        guard log.intake.enter() else { return try await leave(batch, conditions, durability) }
        let admitted: Admitted
        do throws(StoreError) {
            admitted = try await commit(batch, conditions: conditions, durability: durability)
        } catch {
            log.intake.leave()
            throw error
        }
        log.intake.leave()
        if !admitted.isVisible { try await log.visibleGate.wait(for: admitted.sequence) }
        return admitted.sequence
    }

    /// The actor is busy: leaves the write for it to take with others, and sleeps until it is done.
    private nonisolated func leave(
        _ batch: EncodedBatch, _ conditions: [Condition], _ durability: Durability
    ) async throws(StoreError) -> SequenceNumber {
        if Task.isCancelled { throw .cancelled }
        let outcome = await withUnsafeContinuation { (waiter: SequenceGate.Continuation) in
            let entry = Intake.Entry(batch: batch, conditions: conditions, durability: durability, waiter: waiter)
            if log.intake.add(entry) { Task { await drain() } }
        }
        return try outcome.get()
    }

    /// Takes the writes that were left while the actor was busy, in the order in which they came.
    ///
    /// Under steady load there is always something left, so now and then others get their turn on the actor.
    private func drain() async {
        var rounds = 0
        while let entries = log.intake.take() {
            rounds += 1
            if rounds % 16 == 0 { await Task.yield() }
            var waiting: [SequenceGate.Waiter] = []
            waiting.reserveCapacity(entries.count)
            for entry in entries {
                do throws(StoreError) {
                    let admitted: Admitted
                    if let atOnce = try tryCommit(entry) {
                        admitted = atOnce
                    } else {
                        admitted = try await commitLate(entry, &waiting)
                    }
                    if admitted.isVisible {
                        entry.waiter.resume(returning: .reached(admitted.sequence))
                    } else {
                        waiting.append((admitted.sequence, entry.waiter))
                    }
                } catch {
                    entry.waiter.resume(returning: .failed(error))
                }
            }
            log.visibleGate.add(waiting)
        }
    }

    /// There is no room for an entry: those before it wait where they can be resumed, and it takes its turn.
    private func commitLate(
        _ entry: Intake.Entry, _ waiting: inout [SequenceGate.Waiter]
    ) async throws(StoreError) -> Admitted {
        log.visibleGate.add(waiting)
        waiting.removeAll(keepingCapacity: true)
        return try await commit(entry.batch, conditions: entry.conditions, durability: entry.durability)
    }

    /// A batch without operations writes nothing, but its conditions count: what a transaction read was one state.
    private func confirm(_ conditions: [Condition]) async throws(StoreError) -> SequenceNumber {
        if log.isEnded { throw .closed }
        try check(conditions)
        // What it read may still be on its way to the disk; it is told only once that is seen by all.
        let sequence = log.newestSequence
        if sequence > log.index.visibleSequence { try await log.visibleGate.wait(for: sequence) }
        return sequence
    }

    /// The conditions as the actor can judge them.
    ///
    /// - Throws: `.conflict` where one doesn't hold already; what reading a record throws.
    private nonisolated func resolved(_ conditions: [Condition]) async throws(StoreError) -> [Condition] {
        if log.isEnded { throw .closed }
        var resolved: [Condition] = []
        for condition in conditions {
            guard let judgeable = try await condition.resolved(in: log) else { throw condition.conflict }
            resolved.append(judgeable)
        }
        return resolved
    }

    private static func conditions(_ key: some ByteSource, _ condition: KeyCondition?) -> [Condition] {
        condition.map { [Condition(kind: .key(key.byteArray, $0))] } ?? []
    }
}

extension Log {
    /// The number of the newest write, visible or not.
    var newestSequence: SequenceNumber { state.withState { $0.pipeline.lastSequence } }
}
