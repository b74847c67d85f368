internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Following the changes of a store. Documentation/Following.md is the guide.
extension Store {
    /// The identity of the store: the same in each of its files and at each opening. A repaired or restored store has
    /// another one. O(1).
    package var id: StoreID { image.storeID }

    /// The position after the last write that readers see. O(1).
    ///
    /// ```swift
    /// let start = store.position                      // before the next write
    /// let number = try await store.put("user:1", bytes)
    /// for try await change in store.changes(after: start) where change.sequence == number { break }
    /// ```
    public var position: ChangePosition {
        ChangePosition(store: id, sequence: image.index.visibleSequence)
    }

    /// The changes after a position, in the order of their writes: a change feed.
    ///
    /// ```swift
    /// let stored = text.flatMap { ChangePosition($0) }        // what was stored with the changes; nil at first
    /// for try await change in store.changes(after: stored, in: .prefix("user:")) {
    ///     print(change.key, change.action, change.position)
    /// }
    /// ```
    ///
    /// The feed reads the log's files. At the end of the log it waits for the next write. It ends when the store is
    /// closed or released, after all changes until then. Iterating throws `.cancelled` when the task is cancelled.
    ///
    /// - Parameters:
    ///   - position: The first change is the one after it; nil is the position of this call. With `.durable`, store the
    ///     position of the last change that was applied, and continue from it after a restart.
    ///   - range: Only changes of these keys are delivered.
    ///   - level: `.durable` delivers what is on the disk, `.visible` what readers see.
    /// - Returns: The changes. This call throws nothing and doesn't block. Iterating throws `.positionUnavailable` for
    ///   a position of another store, one after the newest write, or one whose log was removed;
    ///   `StoreError.restart` has the earliest position that can be followed.
    /// - Complexity: O(1); the first change costs O(bytes of a segment).
    public func changes(
        after position: ChangePosition? = nil, in range: KeyRange = .all, level: ChangeLevel = .durable
    ) -> Changes {
        let position = position ?? self.position
        return Changes(after: position, in: range, level, of: source(for: position, level))
    }

    /// What the store has now, and every change after it: the start of a copy, an index or a cache.
    ///
    /// ```swift
    /// let following = try await store.follow(in: .prefix("user:"), level: .durable)
    /// for try await entry in following.view.scan(.prefix("user:")) { index.add(entry) }
    /// for try await change in following.changes { index.apply(change) }
    /// ```
    ///
    /// The changes begin with the write after the last one that the view shows. The log after the view is kept until
    /// the first iterator of the changes has reached the end of the log, or the result and its iterators are released;
    /// ``Statistics/logHolds`` counts that. The view keeps the versions and files that it shows until it is released.
    ///
    /// With `.durable`, this call waits until everything that the view shows is on the disk. Cancellation doesn't
    /// interrupt it. It runs on the caller's actor.
    ///
    /// - Parameters:
    ///   - range: Only changes of these keys are delivered. The view shows all keys.
    ///   - level: As for ``changes(after:in:level:)``.
    /// - Throws: `.closed`; with `.durable` also `.failed`, `.outcomeUnknown`.
    /// - Complexity: O(1), and with `.durable` a sync of the disk.
    public nonisolated(nonsending) func follow(
        in range: KeyRange = .all, level: ChangeLevel = .durable
    ) async throws(StoreError) -> Following {
        // Before the view, so that no compaction removes the log between the two.
        let hold = LogHold(log, after: image.index.visibleSequence)
        let view = try readView()
        hold.advance(to: view.sequence)
        if level == .durable { try await sync(through: view.sequence) }
        let changes = Changes(
            after: view.position, in: range, level, hold: hold, of: source(for: view.position, level))
        return Following(view: view, changes: changes)
    }

    private func source(
        for position: ChangePosition, _ level: ChangeLevel
    ) -> Result<any ChangeSource, StoreError> {
        Result { () throws(StoreError) in
            let source = try LogSource(log, level)
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
    /// The position after the last write that it shows. Follow the changes from here. O(1).
    public var position: ChangePosition { ChangePosition(store: pin.image.storeID, sequence: sequence) }
}
