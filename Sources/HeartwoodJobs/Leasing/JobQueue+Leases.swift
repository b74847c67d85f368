internal import HeartwoodRepository

extension JobQueue {
    /// The record of a job, if this is still its lease.
    ///
    /// - Throws: `.leaseLost`.
    nonisolated(nonsending) func held(
        _ job: LeasedJob, in transaction: KeyValueTransaction
    ) async throws(StoreError) -> FoundRecord<JobRecord> {
        guard let found = try await records.records(at: [job.key], in: transaction)[0],
            found.model.isHeld(by: job.claim)
        else { throw .leaseLost(job.record.id) }
        return found
    }

    /// Follows what other programs enqueue, if there are any.
    func follow(_ ring: @escaping @Sendable () -> Void) -> Task<Void, Never>? {
        guard store.limits.hasOtherWriters else { return nil }
        return Self.follow(store, layout.line(.waiting), ring)
    }

    private static func follow<Store: KeyValueStore>(
        _ store: Store, _ range: KeyRange, _ ring: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                do throws(StoreError) {
                    for try await change in store.changes(after: nil, in: range, level: .visible)
                    where change.action != .remove {
                        ring()
                    }
                    return
                } catch {
                    // Polling finds what the feed has missed.
                    guard error.code != .closed else { return }
                    try? await Task.sleep(for: .seconds(1))
                    ring()
                }
            }
        }
    }
}
