internal import Heartwood
internal import HeartwoodTesting

/// Copies of the store from before the crash, which follow the store that was opened after it.
extension StoreCheck {
    /// A copy that had applied everything up to some write that survived, and one that begins with the first write.
    /// Each must become equal to the store, or be told that the log was removed.
    ///
    /// - Returns: A running feed with its copy, which has everything that was recovered.
    func follow(_ store: Store, to recovered: UInt64) async throws -> (Changes.AsyncIterator, StoreReplica) {
        var random = SeededRandom(seed, 13)
        let candidates = expectation.chain.sequences.filter { $0 <= recovered }
        for start in Set([0, candidates.isEmpty ? 0 : random.pick(candidates)]) {
            guard let state = expectation.chain.state(at: start) else { continue }
            var replica = StoreReplica(state, at: ChangePosition(store: store.id, sequence: start))
            var feed = store.changes(after: replica.position).makeAsyncIterator()
            do {
                try await replica.follow(&feed, to: recovered)
                try replica.compare(with: try store.readView(), now: store.now)
            } catch {
                guard let error = error as? StoreError else { throw error }
                try expect(
                    error.code == .positionUnavailable && store.recoveryReport.snapshot != nil,
                    "a copy at \(start) can't follow: \(error)")
            }
        }
        let following = try await store.follow()
        return (following.changes.makeAsyncIterator(), try StoreReplica(following.view))
    }
}

extension StoreReplica {
    /// A copy of a model's state.
    init(_ state: Chain.State, at position: ChangePosition) {
        let contents = state.map { key, stored in
            (
                Array(key.utf8),
                Value(
                    bytes: stored.value.bytes, sequence: stored.sequence,
                    expires: stored.expires == 0 ? nil : Timestamp(milliseconds: stored.expires))
            )
        }
        self.init(Dictionary(uniqueKeysWithValues: contents), at: position)
    }
}
