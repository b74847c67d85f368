/// The result of a transaction.
public struct Committed<Value> {
    /// What the closure returned, in the run that was committed.
    public var value: Value
    /// The sequence number of the write. If the transaction wrote nothing, that of a write that it could see.
    public var sequence: SequenceNumber

    /// Creates a result.
    public init(value: Value, sequence: SequenceNumber) { (self.value, self.sequence) = (value, sequence) }
}

extension Committed: Sendable where Value: Sendable {}

extension KeyValueStore {
    /// Reads, decides and writes in isolation from other writes.
    ///
    /// `body` runs in the caller's task, on the newest state. If it writes, and something that it read has changed when
    /// it returns, it runs again; so it must have no effects other than those on its transaction. A body that only
    /// reads has seen the state of one moment, and runs once.
    ///
    /// Inside `body`, and in tasks that it starts, the store's other writes and transactions are refused with
    /// `.invalidArgument` while `body` runs: write with the transaction. A detached task can't be told from other
    /// writers: don't wait for its writes.
    ///
    /// ```swift
    /// let left = try await store.transaction { transaction in
    ///     let count = try await transaction.fetchEntry(key)?.value.count ?? 0
    ///     try transaction.put(key, [UInt8](repeating: 0, count: count + 1))
    ///     return count
    /// }.value
    /// ```
    ///
    /// - Parameters:
    ///   - durability: As for ``write(_:durability:)``.
    ///   - body: Its result is returned from the run that was committed.
    /// - Throws: What `body` throws, and nothing was written then; what ``write(_:durability:)`` throws except
    ///   `.conflict`; `.cancelled` if the task is cancelled between two runs; `.invalidArgument` if `body` has returned
    ///   before a call that writes with the transaction.
    /// - Complexity: One view, the reads of `body`, and one commit, for each run.
    @discardableResult
    public nonisolated(nonsending) func transaction<R>(
        durability: Durability? = nil, _ body: (Transaction) async throws -> R
    ) async throws -> Committed<R> {
        var value: R?
        let sequence = try await runTransaction(durability) { transaction in
            let scope = TransactionScope(self, self as? any TransactionCounter)
            defer { scope.end() }
            value = try await TransactionScope.$current.withValue(scope) { try await body(transaction) }
        }
        guard let value else { preconditionFailure("a transaction was committed that hasn't run") }
        return Committed(value: value, sequence: sequence)
    }

    /// The same for a layer's own body, in which nothing else writes. Not generic: a generic one would look types up
    /// at run time.
    ///
    /// - Throws: What `body` throws, and nothing was written then; otherwise only `StoreError`.
    ///   `.invalidArgument` inside the body of a transaction on the store.
    @discardableResult
    package nonisolated(nonsending) func runTransaction(
        _ durability: Durability?, _ body: (Transaction) async throws -> Void
    ) async throws -> SequenceNumber {
        try Transaction.checkOutside(of: self)
        var backoff = ConflictBackoff(isRemote: limits.hasOtherWriters)
        while true {
            if Task.isCancelled { throw StoreError.cancelled }
            let transaction = Transaction(self, try await readView(for: .transaction), attempt: backoff.attempt)
            var isReady = false
            do {
                try await body(transaction)
                if try transaction.endBody() { try await transaction.runChecks() }
                isReady = true
            } catch {
                guard try await transaction.mustRunAgain(after: error) else { throw error }
            }
            if isReady, let sequence = try await tryCommit(transaction.batch, durability) {
                transaction.finish()
                return sequence
            }
            await backoff.wait()
        }
    }

    /// The same for a body that throws only `StoreError`.
    @discardableResult
    package nonisolated(nonsending) func ownTransaction(
        _ durability: Durability?, _ body: (Transaction) async throws(StoreError) -> Void
    ) async throws(StoreError) -> SequenceNumber {
        do {
            return try await runTransaction(durability, body)
        } catch let error as StoreError {
            throw error
        } catch {
            preconditionFailure("a transaction of the layer's own threw \(error)")
        }
    }

    /// Nil if the transaction has to run again.
    private nonisolated(nonsending) func tryCommit(
        _ batch: WriteBatch, _ durability: Durability?
    ) async throws(StoreError) -> SequenceNumber? {
        try limits.check(batch)
        do throws(StoreError) {
            return try await write(batch, durability: durability)
        } catch {
            if error.code == .conflict || error.code == .viewEnded { return nil }
            throw error
        }
    }
}

/// The pause before an attempt is made again: on an engine of this process only other tasks run; on a remote engine it
/// grows, and is random, so that programs in conflict don't meet again ("full jitter", AWS Architecture Blog, 2015).
package struct ConflictBackoff {
    private let isRemote: Bool
    /// How many attempts have been made.
    package private(set) var attempt = 0

    package init(isRemote: Bool) { self.isRemote = isRemote }

    /// Returns early if the task is cancelled.
    package nonisolated(nonsending) mutating func wait() async {
        attempt += 1
        guard isRemote else { return await Task.yield() }
        let longest = 1 << min(attempt, 7)
        try? await Task.sleep(for: .milliseconds(Int.random(in: 0...longest)))
    }
}
