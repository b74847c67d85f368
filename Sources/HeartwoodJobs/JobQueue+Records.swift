public import HeartwoodRepository

/// Looking at jobs, and deciding about them.
extension JobQueue {
    /// The job with an id; nil if it is finished or was removed.
    ///
    /// - Throws: What reading throws.
    /// - Complexity: One read.
    public nonisolated(nonsending) func job(_ id: JobID) async throws(StoreError) -> JobRecord? {
        try await records.find(by: id)
    }

    /// Jobs in a state, a page at a time: by priority, then by ``JobRecord/time``.
    ///
    /// ```swift
    /// for job in try await queue.jobs(.dead, limit: 20).models { print(job.id, job.kind, job.failure ?? "") }
    /// ```
    ///
    /// - Parameters:
    ///   - state: Such as `.dead`, for the dead letters.
    ///   - limit: The most jobs of the page, at least 1.
    ///   - cursor: `next` of a page of the same state; nil for the first page.
    /// A job that can't be read has an empty ``JobRecord/kind``. If not even its head can be read, it is left out until
    /// workers make it a dead letter.
    ///
    /// - Throws: `.invalidArgument` for a limit below 1 or a cursor of another state; what reading throws.
    /// - Complexity: O(limit) reads.
    public nonisolated(nonsending) func jobs(
        _ state: JobRecord.State, limit: Int, after cursor: QueryCursor? = nil
    ) async throws(StoreError) -> QueryPage<JobRecord> {
        try await records.page(Self.query(state), limit: limit, after: cursor, onUndecodable: { _ in })
    }

    /// Lets a dead letter run again, at once. If it fails once more, it is a dead letter again.
    ///
    /// - Returns: False if there is no dead letter with this id, or if it is a job that can't be read.
    /// - Throws: `.uniqueViolation` if another job has its unique key by now; what writing throws.
    /// - Complexity: One read and one write.
    @discardableResult
    public nonisolated(nonsending) func retry(_ id: JobID) async throws(StoreError) -> Bool {
        let key = try records.recordKey(id)
        var isRetried = false
        try await store.ownTransaction(durability) { (transaction) async throws(StoreError) in
            isRetried = false
            guard var found = try await records.records(at: [key], in: transaction)[0],
                case .changed(let job) = found.model.after(.retry, now: store.now)
            else { return }
            found.model = job
            try await records.replace([found], in: transaction)
            let bell = bell
            transaction.afterCommit { bell.ring() }
            isRetried = true
        }
        return isRetried
    }

    /// Lets the dead letters run again that there are now, except those whose unique key another job has by now.
    ///
    /// - Returns: How many.
    /// - Throws: What reading and writing throw.
    /// - Complexity: O(dead letters), one write for each.
    @discardableResult
    public nonisolated(nonsending) func retryDeadLetters() async throws(StoreError) -> Int {
        try Transaction.checkOutside(of: store)
        var count = 0
        var cursor: QueryCursor?
        repeat {
            let page = try await jobs(.dead, limit: 256, after: cursor)
            for job in page.models {
                do throws(StoreError) {
                    if try await retry(job.id) { count += 1 }
                } catch {
                    guard error.code == .uniqueViolation else { throw error }
                }
            }
            cursor = page.next
        } while cursor != nil
        return count
    }

    /// Removes a job, whatever its state. If it runs, its worker loses the lease, and its task is cancelled when the
    /// worker notices: at the latest when it would renew the lease.
    ///
    /// - Throws: What writing throws.
    /// - Complexity: One read and one write.
    public nonisolated(nonsending) func remove(_ id: JobID) async throws(StoreError) {
        try Transaction.checkOutside(of: store)
        let key = try records.recordKey(id)
        try await store.ownTransaction(durability) { (transaction) async throws(StoreError) in
            let found = try await records.records(at: [key], in: transaction).compactMap(\.self)
            try await records.delete(found, in: transaction)
        }
    }

    /// Removes dead letters.
    ///
    /// - Parameter time: Only those that have failed before this time of the store's clock; nil for all.
    /// - Returns: How many.
    /// - Throws: What reading and writing throw.
    /// - Complexity: O(dead letters).
    @discardableResult
    public nonisolated(nonsending) func removeDeadLetters(
        before time: Timestamp? = nil
    ) async throws(StoreError) -> Int {
        try Transaction.checkOutside(of: store)
        var count = 0
        var rest: KeyRange? = layout.line(.dead)
        while let range = rest {
            let page = try await store.fetchEntries(in: range, reversed: false, limit: min(most, 256))
            let spots = page.entries.compactMap { layout.spot($0.key) }
            let keys = spots.filter { spot in time.map { spot.moment < $0.milliseconds } ?? true }.map {
                records.recordKey(encodedID: $0.encodedID)
            }
            var removed = 0
            try await store.ownTransaction(durability) { (transaction) async throws(StoreError) in
                let found = try await self.records(at: keys, in: transaction).found.compactMap(\.self).filter { found in
                    let job = found.model
                    return job.state == .dead && job.fault != .newer && time.map { job.time < $0 } ?? true
                }
                try await records.delete(found, in: transaction)
                removed = found.count
            }
            count += removed
            rest = page.next
        }
        return count
    }

    /// Verifies that records and indexes agree.
    package nonisolated(nonsending) func verify() async throws(StoreError) -> RepositoryVerification {
        try await records.verify()
    }

    /// The key of a job's record in the store. For campaigns.
    package func recordKey(_ id: JobID) throws(StoreError) -> [UInt8] { try records.recordKey(id) }

    private static func query(_ state: JobRecord.State) -> Query<JobRecord> {
        Query(where: \.lane == state.rawValue, sort: [.ascending(\.rank), .ascending(\.moment)])
    }
}
