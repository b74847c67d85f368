public import HeartwoodRepository

/// How many jobs a queue has in each state.
public struct JobCounts: Sendable, Hashable {
    /// Due, and waiting for a worker.
    public var due: Int
    /// Waiting for their time, such as that of the next attempt.
    public var scheduled: Int
    /// Leased to a worker, also where the lease has ended and no other worker has taken the job yet.
    public var running: Int
    /// Dead letters.
    public var dead: Int
}

extension JobQueue {
    /// How many jobs there are in each state now.
    ///
    /// - Throws: What reading throws.
    /// - Complexity: O(jobs) for some engines: Heartwood counts keys in memory.
    public nonisolated(nonsending) func counts() async throws(StoreError) -> JobCounts {
        while true {
            do throws(StoreError) {
                return try await Self.counts(layout, try await store.readView(), store.now).counts
            } catch {
                guard error.code == .viewEnded else { throw error }
            }
        }
    }

    /// The counts, and then each newer ones.
    ///
    /// ```swift
    /// for try await counts in queue.observeCounts() { print(counts.due, counts.running, counts.dead) }
    /// ```
    ///
    /// - Complexity: As ``counts()`` for each change of the queue, at most one at a time.
    public func observeCounts() -> LiveValues<JobCounts> {
        let (store, layout) = (store, layout)
        return store.observe([layout.all]) { (view) async throws(StoreError) in
            let (counts, next) = try await Self.counts(layout, view, store.now)
            return (counts, [counts.due, counts.scheduled, counts.running, counts.dead], next)
        }
    }

    /// - Returns: The counts, and when the next job is due.
    private static nonisolated(nonsending) func counts(
        _ layout: LineLayout, _ view: any KeyValueView, _ now: Timestamp
    ) async throws(StoreError) -> (counts: JobCounts, next: Timestamp?) {
        var (due, next): (Int, Timestamp?) = (0, nil)
        var rest: KeyRange? = layout.line(.waiting)
        while let range = rest {
            guard let first = try await view.fetchKeys(in: range, limit: 1).first else { break }
            guard let rank = layout.spot(first)?.rank else {
                rest = range.after(first)
                continue
            }
            let line = layout.line(.waiting, rank, now: now)
            due += try await view.fetchCount(in: line.due)
            if let spot = try await view.fetchKeys(in: line.later, limit: 1).first.flatMap(layout.spot) {
                let moment = Timestamp(milliseconds: spot.moment)
                next = min(next ?? moment, moment)
            }
            rest = layout.line(.waiting, after: rank)
        }
        let waiting = try await view.fetchCount(in: layout.line(.waiting))
        let counts = JobCounts(
            due: due, scheduled: waiting - due, running: try await view.fetchCount(in: layout.line(.running)),
            dead: try await view.fetchCount(in: layout.line(.dead)))
        return (counts, next)
    }
}
