#if Etcd
public import KeyValueStore

/// Moves the contents of one store into another one: from files into a cluster, or back.
///
/// 1. ``synchronize(report:)`` makes the target equal to the source, while programs write the source.
/// 2. ``follow(after:report:)`` applies what they write meanwhile.
/// 3. Stop those programs. ``finish()`` writes what is left, checks that both are equal, and removes the mark of the
///    move. Start the programs on the target.
///
/// Each step may be interrupted, and started again with step 1: only what differs is written. Until ``finish()``, a
/// mark in the target says that a move is under way, so that no other data is overwritten by mistake.
///
/// Keys, values and expiries are moved. Sequence numbers and positions are those of the target afterwards, and expiries
/// are rounded up to what the target allows.
public struct StoreMove: Sendable {
    /// What a step has done.
    public struct Summary: Sendable, Hashable {
        /// The keys of the source.
        public var keys = 0
        /// The keys that were written to the target, or removed from it, because they differed.
        public var changed = 0
        /// Where to follow from.
        public var position: ChangePosition
    }

    /// The key of the mark. It isn't moved.
    public static let markKey: [UInt8] = [0xFF, 0xFE] + Array("heartwood-move".utf8)

    let source: any ReadableKeyValueStore
    let target: any KeyValueStore

    /// Creates a move. It does nothing yet.
    public init(from source: any ReadableKeyValueStore, to target: any KeyValueStore) {
        (self.source, self.target) = (source, target)
    }

    /// Makes the target equal to the source as it was at one moment during the call.
    ///
    /// - Parameter report: Called after each batch with what was done so far.
    /// - Throws: `.invalidArgument` if the target has keys, but no mark of a move; `.tooLarge` for a key or value that
    ///   the target doesn't allow; `.cancelled` between two batches; and what both stores throw. Start again then.
    /// - Complexity: Reads all entries of both stores. Writes those that differ.
    @discardableResult
    public func synchronize(report: @Sendable (Summary) -> Void = { _ in }) async throws(StoreError) -> Summary {
        try await mark()
        while true {
            let view: any KeyValueView = try await source.readView(for: .observation)
            do throws(StoreError) {
                return try await synchronize(with: view, report)
            } catch {
                // What was written needn't be written again.
                if error.code != .viewEnded { throw error }
            }
        }
    }

    /// Writes what programs write to the source, until the task is cancelled or the source is closed.
    ///
    /// - Parameters:
    ///   - position: That of the last ``synchronize(report:)``.
    ///   - report: Called after each batch with its position.
    /// - Throws: `.positionUnavailable` if changes were lost: synchronize again. `.cancelled`, and what both stores
    ///   throw.
    public func follow(
        after position: ChangePosition, report: @Sendable (ChangePosition) -> Void = { _ in }
    ) async throws(StoreError) {
        var operations: [WriteBatch.Operation] = []
        for try await change in source.changes(after: position, in: .all, level: .durable) {
            switch change.action {
            case .put(let value, let expires): operations.append(operation(change.key, value, expires))
            case .remove: operations.append(.init(key: change.key, value: nil))
            case .lost:
                throw StoreError(.positionUnavailable, "changes of the source are lost: synchronize again")
            }
            guard change.isLastOfBatch else { continue }
            try await write(operations.filter { $0.key != Self.markKey })
            operations = []
            report(change.position)
        }
    }

    /// Ends the move, when no program writes the source any more.
    ///
    /// - Returns: The number of keys, which both stores have.
    /// - Throws: `.conflict` if programs still write the source; what ``synchronize(report:)`` throws.
    @discardableResult
    public func finish() async throws(StoreError) -> Int {
        try await synchronize()
        let check = try await synchronize()
        guard check.changed == 0 else {
            throw StoreError(.conflict, "\(check.changed) keys have changed: stop all programs that write the source")
        }
        try await target.write(.init(operations: [.init(key: Self.markKey, value: nil)]), durability: .synced)
        return check.keys
    }

    // MARK: The mark

    private func mark() async throws(StoreError) {
        if try await target.fetchEntry(Self.markKey) != nil { return }
        let page = try await target.fetchEntries(in: .all, reversed: false, limit: 1)
        guard page.entries.isEmpty else {
            throw StoreError(
                .invalidArgument, "the target has keys, and no mark of a move: choose an empty store or prefix")
        }
        try await target.write(
            .init(operations: [.init(key: Self.markKey, value: [])], conditions: [.absent(Self.markKey)]),
            durability: .synced)
    }
}
#endif
