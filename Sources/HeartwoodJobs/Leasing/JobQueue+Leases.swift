internal import HeartwoodRepository

extension JobQueue {
    /// The record of a job, if this is still its lease.
    ///
    /// - Throws: `.leaseLost`.
    nonisolated(nonsending) func held(
        _ job: LeasedJob, in transaction: Transaction
    ) async throws(StoreError) -> FoundRecord<JobRecord> {
        guard let found = try await records.records(at: [job.key], in: transaction)[0],
            found.model.isHeld(by: job.claim)
        else { throw .leaseLost(job.record.id) }
        return found
    }

    /// The records with these keys, as a transaction sees them; nil for one that is absent or can't be read. That stops
    /// no other.
    ///
    /// - Returns: Also why records can't be read, by their keys.
    nonisolated(nonsending) func records(
        at keys: [[UInt8]], in transaction: Transaction
    ) async throws(StoreError) -> (found: [FoundRecord<JobRecord>?], errors: [[UInt8]: StoreError]) {
        do throws(StoreError) {
            return (try await records.records(at: keys, in: transaction), [:])
        } catch {
            guard error.isOfOneRecord else { throw error }
        }
        var (found, errors): ([FoundRecord<JobRecord>?], [[UInt8]: StoreError]) = ([], [:])
        for key in keys {
            do throws(StoreError) {
                found += try await records.records(at: [key], in: transaction)
            } catch {
                guard error.isOfOneRecord else { throw error }
                found.append(nil)
                errors[key] = error
            }
        }
        return (found, errors)
    }

    /// How many jobs one batch changes at most: a job has a record and up to three entries; some conditions are not of
    /// a job.
    var most: Int { max(1, (min(store.limits.operations, store.limits.conditions) - 4) / 4) }

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

extension StoreError {
    /// Whether it may be of one record, and not of the store.
    fileprivate var isOfOneRecord: Bool {
        [.corruption, .undecodable, .newerModel, .unsupportedFormat].contains(code)
    }
}
