internal import HeartwoodRepository

/// A job that a worker has.
struct LeasedJob: Sendable {
    /// As it was claimed.
    let record: JobRecord
    /// Of the record.
    let key: [UInt8]
    /// The number of the write that claimed it. Rises from attempt to attempt.
    let fence: SequenceNumber

    var claim: JobClaim { JobClaim(attempt: record.attempt, token: record.token) }
    var id: LeaseID { LeaseID(job: record.id, attempt: record.attempt) }
}

/// One attempt of a job. A program may have two of one job, when it gets the job again whose lease it has let end.
struct LeaseID: Sendable, Hashable {
    var job: JobID
    var attempt: Int
}

/// What workers want of one transaction: to tell of jobs that they have, and to get others.
struct Exchange: Sendable {
    /// What happened to a job that a worker has.
    struct Report: Sendable {
        var job: LeasedJob
        var event: HeldEvent
    }

    var reports: [Report] = []
    /// How many jobs it claims at most.
    var demand = 0
    var lease: Duration
    /// Entries of jobs that it doesn't look at.
    var passedOver: Set<[UInt8]> = []

    /// What came of it.
    struct Result: Sendable {
        /// For each report, the end of the lease that the worker still has; nil if it has none.
        var leases: [Timestamp?] = []
        /// For each report, whether the lease had been lost before, so that it had no effect.
        var wasLost: [Bool] = []
        var claimed: [LeasedJob] = []
        /// When the next job is due that wasn't claimed; nil if none is waiting.
        var next: Timestamp?
        /// Jobs that are due and that this program can neither claim nor bury.
        var passedOver: [PassedOver] = []
    }

    struct PassedOver: Sendable {
        /// The key of its entry.
        var entry: [UInt8]
        var reason: String
    }
}

extension JobQueue {
    /// One transaction for all reports and claims: in a queue that is busy, the workers of a process make one write
    /// together, however many they are.
    ///
    /// - Parameter tokens: Makes the tokens of leases.
    nonisolated(nonsending) func exchange(
        _ exchange: Exchange, tokens: @Sendable () -> UInt64 = { UInt64.random(in: 1...UInt64(Int64.max)) }
    ) async throws(StoreError) -> Exchange.Result {
        var pass = ExchangePass(queue: self, exchange: exchange, token: tokens())
        while true {
            do throws(StoreError) {
                let sequence = try await store.ownTransaction(durability) { (transaction) async throws(StoreError) in
                    try await pass.run(transaction)
                }
                return pass.result(sequence)
            } catch {
                guard error.code == .outcomeUnknown, store.limits.hasOtherWriters, !Task.isCancelled else {
                    throw error
                }
                // What it claimed is recognised by its token, and what it reported is reported again.
                pass.rememberAttempt()
            }
        }
    }
}

/// The runs of an exchange's transaction.
private struct ExchangePass {
    let queue: JobQueue
    let exchange: Exchange
    /// Of all the leases that it makes, so that they are recognised.
    let token: UInt64
    /// The records that a run has claimed whose outcome isn't known.
    private var doubtful: [[UInt8]] = []
    private var claimedKeys: [[UInt8]] = []
    private var claimed: [(record: JobRecord, key: [UInt8], revision: SequenceNumber?)] = []
    private var outcome = Exchange.Result()
    /// Why records couldn't be read, by their keys.
    private var errors: [[UInt8]: StoreError] = [:]

    init(queue: JobQueue, exchange: Exchange, token: UInt64) {
        (self.queue, self.exchange, self.token) = (queue, exchange, token)
    }

    mutating func rememberAttempt() { doubtful += others(claimedKeys, than: doubtful) }

    func result(_ sequence: SequenceNumber) -> Exchange.Result {
        var result = outcome
        result.claimed = claimed.map { LeasedJob(record: $0.record, key: $0.key, fence: $0.revision ?? sequence) }
        return result
    }

    nonisolated(nonsending) mutating func run(_ transaction: Transaction) async throws(StoreError) {
        (outcome, claimed, claimedKeys, errors) = (Exchange.Result(), [], [], [:])
        let now = queue.store.now
        // What was reported must not wait for claims that other programs are always faster with.
        let demand = transaction.attempt < 4 ? exchange.demand : 0
        var line = DueJobs(queue, now: now, limit: demand, passingOver: exchange.passedOver)
        if demand > 0 { try await line.read(transaction) }
        outcome.next = transaction.attempt < 4 || exchange.demand == 0 ? line.next : now
        outcome.passedOver = line.unreadable.map { .init(entry: $0, reason: "its entry in the index can't be read") }
        let reported = exchange.reports.map(\.job.key)
        let due = line.candidates.map(\.key)
        let others = others(due, than: reported + doubtful)
        // One that was left out may be due after what was reported of it.
        if others.count < due.count { outcome.next = now }
        let candidates = doubtful + others
        // A record and two entries each; a finished one has one entry less.
        transaction.reserve(
            writes: 3 * (reported.count + candidates.count), reads: reported.count + candidates.count)
        let found: [FoundRecord<JobRecord>?]
        (found, errors) = try await queue.records(at: reported + candidates, in: transaction)
        var changed: [FoundRecord<JobRecord>] = []
        var removed: [FoundRecord<JobRecord>] = []
        for (report, record) in zip(exchange.reports, found) {
            judge(report, record, now, &changed, &removed)
        }
        for (key, record) in zip(candidates, found.dropFirst(reported.count)) {
            if claim(key, record, now, demand, &changed) { continue }
            // It would be found again and again, in the place of others.
            guard let entry = line.candidates.first(where: { $0.key == key })?.entry else { continue }
            outcome.passedOver.append(.init(entry: entry, reason: reason(record?.model, key)))
        }
        try await queue.records.replace(changed, in: transaction)
        try await queue.records.delete(removed, in: transaction)
        // What was looked for above didn't include them.
        if changed.contains(where: { $0.model.state == .waiting }) {
            let bell = queue.bell
            transaction.afterCommit { bell.ring() }
        }
    }

    private func others(_ keys: [[UInt8]], than known: [[UInt8]]) -> [[UInt8]] {
        if keys.isEmpty || known.isEmpty { return keys }
        let known = Set(known.map(HashedBytes.init))
        return keys.filter { !known.contains(HashedBytes($0)) }
    }

    private mutating func judge(
        _ report: Exchange.Report, _ found: FoundRecord<JobRecord>?, _ now: Timestamp,
        _ changed: inout [FoundRecord<JobRecord>], _ removed: inout [FoundRecord<JobRecord>]
    ) {
        var lease: Timestamp?
        var wasLost = false
        switch found?.model.after(.held(report.job.claim, report.event), now: now) {
        case .changed(let job):
            var found = found!
            found.model = job
            changed.append(found)
            if job.state == .running { lease = job.time }
        case .removed: removed.append(found!)
        case .refused, nil: wasLost = true
        }
        outcome.leases.append(lease)
        outcome.wasLost.append(wasLost)
    }

    /// - Returns: False for a job that this program can neither claim nor bury.
    private mutating func claim(
        _ key: [UInt8], _ found: FoundRecord<JobRecord>?, _ now: Timestamp, _ demand: Int,
        _ changed: inout [FoundRecord<JobRecord>]
    ) -> Bool {
        if let found, found.model.state == .running, found.model.token == token {
            claimed.append((found.model, key, found.revision))
            return true
        }
        guard claimed.count < demand else { return true }
        guard var found, found.model.fault == nil || fits(found.model),
            case .changed(let job) = found.model.after(.claim(token: token, lease: exchange.lease), now: now)
        else { return false }
        found.model = job
        changed.append(found)
        guard job.state == .running else { return true }
        claimed.append((job, key, nil))
        claimedKeys.append(key)
        return true
    }

    /// Whether a record that can't be read has space for the reason.
    private func fits(_ job: JobRecord) -> Bool {
        let limits = queue.store.limits
        return job.payload.count <= min(limits.valueBytes, limits.batchBytes) - JobRecord.reserve
    }

    private func reason(_ job: JobRecord?, _ key: [UInt8]) -> String {
        errors[key]?.message ?? job?.failure
            ?? "the index of its queue isn't that of its record: verify the repository \"\(queue.name)\""
    }
}
