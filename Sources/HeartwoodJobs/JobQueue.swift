public import HeartwoodRepository

/// Jobs in a store, which workers run at least once each.
///
/// ```swift
/// let queue = try await JobQueue.open(in: store)
/// try await queue.enqueue(SendEmail(address: "ada@example.com", template: "welcome"))
/// ```
///
/// A job is enqueued by one write, also by a transaction that changes other data: see ``enqueue(_:_:in:)``. From then
/// on it is in the store until a worker has finished it. ``JobWorkers`` runs jobs.
///
/// A queue is a repository of ``JobRecord``s, so it is as durable as its store, and several programs can use one queue
/// if the engine lets them. All calls run on the caller's actor. Copies share everything.
public struct JobQueue: Sendable {
    /// Its jobs.
    let records: Repository<JobRecord>
    let coder: any ModelCoder
    let durability: Durability?
    let layout: LineLayout
    let ids = JobIDs()
    let bell: JobBell

    /// Opens a queue, and creates it if there is none.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - name: Identifies the queue among the repositories of the store.
    ///   - coder: How jobs become bytes. All programs that use the queue must use the same one.
    ///   - durability: Of every write; nil is the store's default. What is less durable may be lost in a crash: a job
    ///     that was enqueued, or that it was finished.
    /// - Throws: As `repository(of:named:)`.
    /// - Complexity: O(1).
    public static nonisolated(nonsending) func open(
        in store: any KeyValueStore, named name: String = "jobs", coder: any ModelCoder = .json,
        durability: Durability? = nil
    ) async throws(StoreError) -> JobQueue {
        let records = try await store.repository(JobRecord.definition(name))
        return JobQueue(
            records: records, coder: coder, durability: durability,
            layout: LineLayout(try records.entriesPrefix(ofIndex: JobRecord.lineIndex)), bell: .of(store, name))
    }

    /// The name that identifies it in its store.
    public var name: String { records.name }
    /// The store.
    public var store: any KeyValueStore { records.store }

    /// Enqueues a job.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - options: When it runs, and whether it is unique. What is nil is as the job's type says.
    /// - Returns: Its id. If a job with the same unique key is waiting or running, nothing is written, and it is that
    ///   job's id.
    /// - Throws: `.invalidArgument` for a job that can't be encoded or a key that is too long, `.tooLarge`; what
    ///   writing throws. After `.outcomeUnknown` the job may have been enqueued; enqueue again with a unique key if
    ///   that matters.
    /// - Complexity: One write. With a unique key, one read before.
    @discardableResult
    public nonisolated(nonsending) func enqueue<Work: Job>(
        _ job: Work, _ options: JobOptions = JobOptions()
    ) async throws(StoreError) -> JobID {
        try await add([record(job, options)])[0]
    }

    /// Enqueues many jobs, all or nothing, in their order.
    ///
    /// - Returns: Their ids, in the order of the jobs.
    /// - Throws: As ``enqueue(_:_:)``; `.invalidArgument` for a unique key, which only one of them could have.
    /// - Complexity: One write; its size is limited by the engine.
    @discardableResult
    public nonisolated(nonsending) func enqueue<Work: Job>(
        contentsOf jobs: [Work], _ options: JobOptions = JobOptions()
    ) async throws(StoreError) -> [JobID] {
        try await add(try made(jobs, options))
    }

    /// Enqueues a job when the transaction commits. If it doesn't commit, there is no job; so data and the job that
    /// follows from them are never apart.
    ///
    /// ```swift
    /// try await store.transaction { transaction in
    ///     try await users.insert(user, in: transaction)
    ///     try await queue.enqueue(SendEmail(address: user.email, template: "welcome"), in: transaction)
    /// }
    /// ```
    ///
    /// - Throws: As ``enqueue(_:_:)``; `.invalidArgument` for a transaction of another store.
    @discardableResult
    public nonisolated(nonsending) func enqueue<Work: Job>(
        _ job: Work, _ options: JobOptions = JobOptions(), in transaction: Transaction
    ) async throws(StoreError) -> JobID {
        try await add([record(job, options)], transaction)[0]
    }

    /// The stored form of a new job, with an id.
    private func record<Work: Job>(_ job: Work, _ options: JobOptions) throws(StoreError) -> JobRecord {
        guard !Work.name.isEmpty else {
            throw StoreError(.invalidArgument, "the kind of job \(Work.self) has an empty name: give it one")
        }
        let options = options.over(Work.options)
        let now = store.now
        let payload = try encoded(job)
        let size = payload.count + Work.name.utf8.count + JobRecord.reserve
        guard size <= min(store.limits.valueBytes, store.limits.batchBytes) else {
            throw StoreError(
                .tooLarge,
                "a job \"\(Work.name)\" has \(payload.count) bytes: store what it needs elsewhere, with an id in it"
            )
        }
        return try JobRecord(
            id: ids.make(1, now: now)[0], kind: Work.name, payload: payload, enqueued: now,
            due: options.due(now: now), priority: options.priority ?? .normal, retry: options.retry ?? JobRetry(),
            uniqueKey: checked(options.uniqueKey))
    }

    private func made<Work: Job>(_ jobs: [Work], _ options: JobOptions) throws(StoreError) -> [JobRecord] {
        if jobs.count > 1, options.over(Work.options).uniqueKey != nil {
            throw StoreError(
                .invalidArgument, "many jobs are enqueued with one unique key, which one can have: enqueue one by one")
        }
        var made: [JobRecord] = []
        made.reserveCapacity(jobs.count)
        for job in jobs { made.append(try record(job, options)) }
        return made
    }

    private func encoded(_ job: some Job) throws(StoreError) -> [UInt8] {
        do {
            return try coder.encode(job)
        } catch {
            throw StoreError(
                .invalidArgument, "a job \"\(type(of: job).name)\" can't be encoded: see the cause", cause: error)
        }
    }

    private func checked(_ key: String?) throws(StoreError) -> String? {
        guard let key else { return nil }
        guard (1...1_024).contains(key.utf8.count) else {
            throw StoreError(
                .invalidArgument, "a unique key has \(key.utf8.count) bytes: it has 1 to 1,024; hash a longer one")
        }
        return key
    }
}

extension JobQueue {
    private nonisolated(nonsending) func add(_ jobs: [JobRecord]) async throws(StoreError) -> [JobID] {
        if jobs.isEmpty { return [] }
        var enqueued: [JobID] = []
        try await store.ownTransaction(durability) { (transaction) async throws(StoreError) in
            enqueued = try await add(jobs, transaction)
        }
        return enqueued
    }

    private nonisolated(nonsending) func add(
        _ jobs: [JobRecord], _ transaction: Transaction
    ) async throws(StoreError) -> [JobID] {
        if let key = jobs.first?.uniqueKey {
            let holder = try await records.holder(of: key, inIndex: JobRecord.uniqueIndex, transaction)
            if let holder { return [holder] }
        }
        if jobs.count > 1 { transaction.reserve(writes: 2 * jobs.count, reads: 0) }
        try await records.insert(jobs, in: transaction)
        let bell = bell
        transaction.afterCommit { bell.ring() }
        return jobs.map(\.id)
    }
}
