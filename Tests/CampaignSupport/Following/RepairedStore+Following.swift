internal import Heartwood
internal import HeartwoodFormat

extension RepairedStore {
    /// Checks what a feed of the repaired store delivers: every batch of its log, and nothing else but lost numbers.
    ///
    /// - Throws: `BrokenRule`.
    func checkFeed(of store: Store) throws {
        var copy = StoreReplica(at: ChangePosition(store: store.id, sequence: snapshotSequence))
        var records: [UInt64: Int] = [:]
        for change in try store.durableChanges(after: snapshotSequence) {
            try copy.apply(change)
            if case .lost(let first) = change.action {
                try expect(
                    !changes.keys.contains { first <= $0 && $0 <= change.sequence }, .repairedStore,
                    "a feed says that \(first) to \(change.sequence) are lost, and one of them is in the log")
            } else {
                records[change.sequence, default: 0] += 1
            }
        }
        try expect(
            records == changes.filter { $0.key > snapshotSequence }, .repairedStore,
            "a feed delivers \(records.count) batches, and the log has others")
        if snapshotSequence == 0 {
            // A forged commit may have any time, and a store's time is never earlier.
            try copy.compare(with: try store.readView(), now: nil)
        }
    }
}
