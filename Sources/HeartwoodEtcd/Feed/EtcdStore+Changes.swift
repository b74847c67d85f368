#if Etcd
public import KeyValueStore

extension EtcdStore {
    /// The changes after a position; see `ReadableKeyValueStore`. All levels are the same: etcd shows only what is
    /// durable.
    ///
    /// Each iterator is a watch of its own. If the connection breaks, it watches again from the last change, so that no
    /// change is missing or comes twice. Iterating throws `.cancelled`; `.positionUnavailable` if etcd has compacted
    /// the changes, or if the position is of another store; `.permission`; `.inputOutput` if no server could be watched
    /// for a minute. The changes end when the store is closed.
    ///
    /// - Parameters:
    ///   - position: nil is the newest position that this object knows: that of the newest write which it has made or
    ///     read.
    ///   - range: Only changes of these keys are delivered.
    ///   - level: Makes no difference.
    public func changes(
        after position: ChangePosition?, in range: KeyRange, level: ChangeLevel
    ) -> some AsyncSequence<Change, StoreError> & Sendable {
        let position = position ?? knownPosition
        return BatchedChanges(after: position) { [self] in
            let batches = Watch.start(self, after: position, in: range)
            return { (_) throws(StoreError) in
                for await batch in batches { return try batch.get() }
                if !Task.isCancelled { return nil }
                throw StoreError(.cancelled, "the task was cancelled: follow again from the last position")
            }
        }
    }
}
#endif
