internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Following the log. See the guide "Following changes".
extension Store {
    /// The identity of the store: the same in each of its files and at each opening. A repaired or restored store has
    /// another one. O(1).
    public nonisolated var id: StoreID { log.storeID }

    /// The position after the last write that readers see. O(1).
    public nonisolated var position: ChangePosition {
        ChangePosition(store: id, sequence: log.index.visibleSequence)
    }

    /// The changes from a position on, in the order of their writes, as they come: a change feed.
    ///
    /// The log is read from its files, from the segment of the position on, at any number of changes behind the newest
    /// write. It ends when the store is closed. A feed at the end of the log costs writers nothing but a check, and
    /// wakes within a millisecond of a change that it may deliver.
    ///
    /// - Parameters:
    ///   - position: The first change is the one after it; nil is the position now. For `.durable`, keep the position of
    ///     the last change that was applied, and continue from it after a restart.
    ///   - range: Only changes of these keys.
    ///   - level: Which changes: those that no power loss can take back, or those that readers see.
    /// - Returns: The changes. Iterating throws `.positionUnavailable` for a position of another store, one after the
    ///   newest write, or one whose log was removed; ``StoreError/restart`` has the position to start again from.
    /// - Complexity: O(1); the first change costs O(bytes of a segment).
    public nonisolated func changes(
        after position: ChangePosition? = nil, in range: KeyRange = .all, level: ChangeLevel = .durable
    ) -> Changes {
        let position = position ?? self.position
        return Changes(after: position, in: range, level, of: source(for: position, level))
    }

    /// What is there now, and everything after it: the start of a copy, an index or a cache.
    ///
    /// ```swift
    /// let following = try await store.follow(in: .prefix("user:"), level: .durable)
    /// try following.view.forEach(in: .prefix("user:")) { entry in
    ///     index.add(entry)
    ///     return .next
    /// }
    /// for try await change in following.changes { index.apply(change) }
    /// ```
    ///
    /// The log after the view is kept until the first iterator of the changes has caught up with it, or the result and
    /// its iterators are released; ``Statistics/logHolds`` shows that. The view keeps its versions until it is released.
    ///
    /// - Throws: `.closed`, `.failed`, `.outcomeUnknown`. With `.durable`, waits until everything that the view shows is
    ///   on the disk. Cancellation doesn't interrupt it.
    /// - Complexity: O(1), and with `.durable` a sync of the disk.
    public nonisolated(nonsending) func follow(
        in range: KeyRange = .all, level: ChangeLevel = .durable
    ) async throws(StoreError) -> Following {
        // Before the view, so that no compaction removes the log between the two.
        let hold = LogHold(log, after: log.index.visibleSequence)
        let view = try readView()
        hold.advance(to: view.sequence)
        if level == .durable { try await synced(through: view.sequence) }
        let changes = Changes(
            after: view.position, in: range, level, hold: hold, of: source(for: view.position, level))
        return Following(view: view, changes: changes)
    }

    private nonisolated func source(
        for position: ChangePosition, _ level: ChangeLevel
    ) -> Result<any ChangeSource, StoreError> {
        let source = LogSource(log, level)
        return Result { () throws(StoreError) in
            try source.directory.check(position, here: self.position)
            guard position.sequence <= log.newestSequence else {
                throw source.directory.tooNew(newest: self.position)
            }
            return source
        }
    }
}

/// What a store has at one moment, and its changes after that; see ``Store/follow(in:level:)``.
public struct Following: Sendable {
    /// The store as it was.
    public let view: ReadView
    /// Every change after the view.
    public let changes: Changes
}

extension ReadView {
    /// The position after the last write that it shows: follow from here. O(1).
    public var position: ChangePosition { ChangePosition(store: pin.log.storeID, sequence: sequence) }
}
