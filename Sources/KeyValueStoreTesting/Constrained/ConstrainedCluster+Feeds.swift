internal import Synchronization

/// Feeds of changes.
extension ConstrainedCluster {
    /// The changes of a write, and the position after it.
    struct FeedBatch: Sendable {
        var changes: [Change]
        var position: ChangePosition
    }

    /// The next batch that changed a key of the range. Waits for it; nil once the handle is closed.
    func nextBatch(
        after position: ChangePosition, in range: KeyRange, of handle: ConstrainedStore.Handle
    ) async throws(StoreError) -> FeedBatch? {
        var position = position
        while true {
            await suspend()
            if Task.isCancelled {
                throw StoreError(.cancelled, "the task was cancelled: follow again from the last position")
            }
            let newest = self.position
            if position.store != id || position.sequence > newest.sequence || position.sequence < changes.start {
                throw StoreError(
                    .positionUnavailable, "the engine doesn't have the changes after \(position): read a view again",
                    restart: ChangePosition(store: id, sequence: changes.start))
            }
            try failSometimes()
            if let batch = changes.next(after: position.sequence, in: range), let last = batch.last {
                statistics.deliveredBatches += 1
                return FeedBatch(changes: batch, position: last.position)
            }
            if handle.isClosed.load(ordering: .sequentiallyConsistent) { return nil }
            // A compaction of what was searched here loses no change of the range.
            position = newest
            await waitForWrite(after: newest, handle)
        }
    }

    private func waitForWrite(after position: ChangePosition, _ handle: ConstrainedStore.Handle) async {
        nextFeed += 1
        let feed = nextFeed
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver =
                    Task.isCancelled || self.position != position
                    || handle.isClosed.load(ordering: .sequentiallyConsistent)
                if isOver { continuation.resume() } else { waitingFeeds[feed] = continuation }
            }
        } onCancel: {
            Task { await self.wake(feed) }
        }
    }

    private func wake(_ feed: UInt64) { waitingFeeds.removeValue(forKey: feed)?.resume() }

    func wakeFeeds() {
        let feeds = waitingFeeds.values
        waitingFeeds = [:]
        for feed in feeds { feed.resume() }
    }
}
