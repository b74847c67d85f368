internal import Synchronization

/// Feeds of changes.
extension ConstrainedCluster {
    /// The next batch that changed a key of the range. Waits for it; nil once the handle is closed.
    func nextBatch(
        after position: ChangePosition, in range: KeyRange, of handle: ConstrainedStore.Handle
    ) async throws(StoreError) -> [Change]? {
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
            if let batch = changes.next(after: position.sequence, in: range) { return batch }
            if handle.isClosed.load(ordering: .sequentiallyConsistent) { return nil }
            // A compaction of what was searched here loses no change of the range.
            position = newest
            let (write, waiting) = AsyncStream.makeStream(of: Void.self)
            waitingFeeds.append(waiting)
            // Ends with the next write, or when the task is cancelled.
            for await _ in write {}
        }
    }

    func wakeFeeds() {
        for feed in waitingFeeds { feed.finish() }
        waitingFeeds = []
    }
}
