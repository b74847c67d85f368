internal import HeartwoodRepository
public import KeyValueStore

/// What the body of a job knows of its run.
public struct JobContext: Sendable {
    /// The queue, to enqueue what follows.
    public let queue: JobQueue
    let job: LeasedJob
    let workers: JobWorkers

    /// Identifies the job: the same in all its attempts. Use it as an idempotency key.
    public var id: JobID { job.record.id }
    /// The job as it was claimed.
    public var record: JobRecord { job.record }
    /// From 1. Each time the job is given to a worker, it is one more.
    public var attempt: Int { job.record.attempt }
    /// The fencing number: the sequence number of the write that gave the job to this worker. A later attempt of the
    /// job has a greater one.
    ///
    /// A worker that was paused may continue when its lease has ended and another worker has the job. Pass this number
    /// to the services that the job writes to; they refuse a number that is less than one that they have seen. Writes
    /// to the queue's own store need only ``confirm(in:)``.
    public var fence: SequenceNumber { job.fence }
    /// When the lease ends by the store's clock, unless it is renewed again; nil if it was lost.
    package var leaseEnd: Timestamp? { workers.leaseEnd(of: job.id) }

    /// Makes it a condition of the transaction that this attempt still has the lease.
    ///
    /// - Throws: `.leaseLost` if it hasn't; `.invalidArgument` for a transaction of another store; what reading throws.
    /// - Complexity: One read.
    public nonisolated(nonsending) func confirm(in transaction: Transaction) async throws(StoreError) {
        _ = try await queue.held(job, in: transaction)
    }

    /// Finishes the job when the transaction commits. What the job has done in the transaction, and that it is
    /// finished, are one write: it happens exactly once.
    ///
    /// ```swift
    /// try await store.transaction { transaction in
    ///     try await accounts.save(account, in: transaction)
    ///     try await context.finish(in: transaction)
    /// }
    /// ```
    ///
    /// Return from the body after it.
    ///
    /// - Throws: As ``confirm(in:)``.
    /// - Complexity: One read.
    public nonisolated(nonsending) func finish(in transaction: Transaction) async throws(StoreError) {
        let record = try await queue.held(job, in: transaction)
        try await queue.records.delete([record], in: transaction)
    }
}
