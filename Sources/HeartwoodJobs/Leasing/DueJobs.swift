internal import HeartwoodRepository

/// The jobs that are due, in the order in which they are claimed: waiting ones and those whose lease has ended.
///
/// It reads the index without making it a condition of the commit: a job that is enqueued meanwhile is no conflict. The
/// records are a condition.
struct DueJobs {
    struct Candidate {
        var rank: UInt8
        var moment: UInt64
        /// The key of the record.
        var key: [UInt8]
        /// The key of the entry.
        var entry: [UInt8]
    }

    private let queue: JobQueue
    private let now: Timestamp
    private let limit: Int
    /// Entries that are left out.
    private let passedOver: Set<[UInt8]>
    private(set) var candidates: [Candidate] = []
    /// Entries that can't be read.
    private(set) var unreadable: [[UInt8]] = []
    /// When the first job is due that isn't among the keys: not after now if there may be more of them.
    private(set) var next: Timestamp?

    init(_ queue: JobQueue, now: Timestamp, limit: Int, passingOver passedOver: Set<[UInt8]>) {
        (self.queue, self.now, self.limit, self.passedOver) = (queue, now, limit, passedOver)
    }

    nonisolated(nonsending) mutating func read(_ transaction: Transaction) async throws(StoreError) {
        // Programs that were in conflict look at more jobs than they need, and choose some by chance.
        let isContended = transaction.attempt > 0 && queue.store.limits.hasOtherWriters
        let wanted = isContended ? limit * 4 : limit
        try await read(.running, wanted, transaction.view)
        let expired = candidates.count
        try await read(.waiting, wanted, transaction.view)
        if expired > 0 { candidates.sort { ($0.rank, $0.moment) < ($1.rank, $1.moment) } }
        guard candidates.count > limit else { return }
        if isContended { shuffleLast() }
        candidates.removeLast(candidates.count - limit)
        next = now
    }

    /// Of the lowest priority that is taken, chooses which ones.
    private mutating func shuffleLast() {
        let rank = candidates[limit - 1].rank
        let last = candidates.filter { $0.rank == rank }.shuffled()
        candidates = candidates.filter { $0.rank < rank } + last
    }

    private nonisolated(nonsending) mutating func read(
        _ state: JobRecord.State, _ wanted: Int, _ view: any KeyValueView
    ) async throws(StoreError) {
        let count = candidates.count + wanted
        var rest: KeyRange? = queue.layout.line(state)
        lines: while let range = rest {
            // One more says when the next one is due.
            let limit = count - candidates.count + 1 + passedOver.count
            let keys = try await view.fetchKeys(in: range, limit: limit)
            for key in keys where passedOver.isEmpty || !passedOver.contains(key) {
                guard let spot = queue.layout.spot(key) else {
                    unreadable.append(key)
                    continue
                }
                if candidates.count == count || spot.moment > now.milliseconds {
                    next = min(next ?? .init(milliseconds: .max), Timestamp(milliseconds: spot.moment))
                    if candidates.count == count { return }
                    // Later ones of this priority aren't due either.
                    rest = queue.layout.line(state, after: spot.rank)
                    continue lines
                }
                candidates.append(
                    Candidate(
                        rank: spot.rank, moment: spot.moment,
                        key: queue.records.recordKey(encodedID: spot.encodedID), entry: key))
            }
            rest = keys.count < limit ? nil : range.after(keys[limit - 1])
        }
    }
}
