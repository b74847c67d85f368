internal import Heartwood
internal import HeartwoodConcurrency
internal import HeartwoodTesting

/// A copy of the run's store that follows its durable changes. What it has applied must survive each later crash.
struct RunFollower {
    private var replica: StoreReplica?
    private var feed: Changes.AsyncIterator?
    /// How often the log that it needed was removed.
    private(set) var restarts = 0

    /// Forgets the feed, as a consumer that ends. The next one continues from the copy's position.
    mutating func stop() { feed = nil }

    /// Applies everything that is on the disk, and notes that it must survive.
    ///
    /// - Parameter base: The number before the first one of this opening. No write may have it.
    mutating func catchUp(
        with store: Store, from base: SequenceNumber, _ disk: SimulatedDisk, now: Timestamp
    ) async throws {
        let synced = store.statistics.syncedSequence
        let last = synced > base ? synced : store.recoveryReport.lastSequence
        do {
            var copy = try await copy(of: store)
            // The compactor removes what a view or a feed has held. That must not come between the next calls.
            store.settleCompaction()
            var feed = self.feed ?? store.changes(after: copy.position).makeAsyncIterator()
            var applied: [SequenceNumber] = []
            try await copy.follow(&feed, to: last) { applied.append($0) }
            store.settleCompaction()
            for sequence in applied { disk.note(HistoryNote.synced(sequence)) }
            // What the feed would deliver next, too.
            for change in try store.durableChanges(after: copy.position.sequence) where change.isLastOfBatch {
                disk.note(HistoryNote.synced(change.sequence))
            }
            (replica, self.feed) = (copy, feed)
            let view = try store.readView()
            if view.sequence == copy.position.sequence { try copy.compare(with: view, now: now) }
        } catch {
            guard let error = error as? StoreError, error.code == .positionUnavailable else { throw error }
            (replica, feed) = (nil, nil)
            restarts += 1
        }
    }

    private mutating func copy(of store: Store) async throws -> StoreReplica {
        if let replica { return replica }
        let following = try await store.follow()
        feed = following.changes.makeAsyncIterator()
        return try StoreReplica(following.view)
    }
}

extension WorkRun {
    /// Lets the copy catch up, from time to time; sometimes it was away for long.
    func follow() async throws {
        guard !toleratesFaults, !isCompacting, let store, follows.oneIn(4) else { return }
        if follows.oneIn(6) { follower.stop() }
        settle()
        letWriterContinue { $0.settleCompaction() }
        isIdle.withLock { $0 = true }
        defer { isIdle.withLock { $0 = false } }
        try await follower.catchUp(with: store, from: base, disk, now: store.now)
        store.settleCompaction()
    }

    /// Calls `body`, in which tasks write to the store, while a copy follows it.
    func following(_ store: Store, _ body: () async throws -> Void) async throws {
        let (disk, reached) = (disk, Locked<SequenceNumber>(0))
        let level = random.pick([ChangeLevel.durable, .visible])
        let changes = store.changes(level: level)
        let consumer = Task {
            var (feed, copy) = (changes.makeAsyncIterator(), StoreReplica(at: changes.position))
            defer { reached.withLock { $0 = .max } }
            do {
                try await copy.follow(&feed, to: .max) { sequence in
                    if level == .durable { disk.note(HistoryNote.synced(sequence)) }
                    reached.withLock { $0 = sequence }
                }
            } catch let error as StoreError where [.cancelled, .positionUnavailable].contains(error.code) {
                // A compaction may remove the log before the feed has read it.
            }
        }
        defer { consumer.cancel() }
        try await body()
        let last = try await store.sync()
        while reached.withLock({ $0 }) < last { await Task.yield() }
        consumer.cancel()
        try await consumer.value
    }
}
