public import HeartwoodRepository

/// A job as it is stored.
public struct JobRecord: Codable, Identifiable, Sendable, Hashable {
    /// Where a job is on its way.
    public enum State: UInt8, Codable, Sendable, Hashable, TupleElement {
        /// It waits until it is due, or for a worker.
        case waiting = 0
        /// A worker has its lease.
        case running = 1
        /// A dead letter: it has failed too often, or was discarded. It runs again only if it is retried.
        case dead = 2
    }

    /// Identifies it.
    public let id: JobID
    /// The name of its kind: ``Job/name``. Empty if the stored job can't be read: ``failure`` says why then, and
    /// ``payload`` has the bytes.
    public let kind: String
    /// The encoded job.
    public let payload: [UInt8]
    /// When it was enqueued, in milliseconds since 1970.
    let enqueuedMoment: UInt64
    /// Which of the jobs that are due runs first.
    public internal(set) var priority: JobPriority
    /// Where it is on its way.
    public internal(set) var state = State.waiting
    /// ``time`` in milliseconds since 1970.
    var moment: UInt64
    /// How many times it was given to a worker. Never falls, so it identifies a lease.
    public internal(set) var attempt = 0
    /// How many attempts have failed. A snooze isn't a failure, nor is a job that a worker gave back.
    public internal(set) var failures = 0
    var retry: JobRetry
    /// Why the last attempt failed, shortened to 1,024 bytes; nil if none has failed.
    public internal(set) var failure: String?
    /// See ``JobOptions/uniqueKey``.
    public let uniqueKey: String?
    /// Drawn for each lease, so that a worker recognises its own after a commit with an unknown outcome. 0 if there is
    /// no lease.
    var token: UInt64 = 0
    /// Why this stands for a record that can't be read. Not stored.
    var fault: Fault?

    init(
        id: JobID, kind: String, payload: [UInt8], enqueued: Timestamp, due: Timestamp, priority: JobPriority,
        retry: JobRetry, uniqueKey: String?
    ) {
        (self.id, self.kind, self.payload, enqueuedMoment) = (id, kind, payload, Self.kept(enqueued))
        (moment, self.priority, self.uniqueKey) = (Self.kept(due), priority, uniqueKey)
        self.retry = JobRetry(
            limit: min(max(1, retry.limit), JobRetry.highestLimit), first: JobRetry.kept(retry.first),
            longest: JobRetry.kept(retry.longest))
    }

    /// A time as it is stored: in 63 bits, which reach for over 290 million years.
    private static func kept(_ time: Timestamp) -> UInt64 { min(time.milliseconds, UInt64(Int64.max)) }
}

extension JobRecord {
    /// When it was enqueued, by the store's clock.
    public var enqueued: Timestamp { Timestamp(milliseconds: enqueuedMoment) }
    /// When a waiting job is due, the lease of a running one ends, or a dead one has failed.
    public internal(set) var time: Timestamp {
        get { Timestamp(milliseconds: moment) }
        set { moment = Self.kept(newValue) }
    }

    /// This many failures make a dead letter.
    public internal(set) var limit: Int {
        get { retry.limit }
        set { retry.limit = newValue }
    }

    // What is indexed. One index has the jobs of each state in the order in which they are taken.
    var lane: UInt8 { state.rawValue }
    var rank: UInt8 { priority.rawValue }
    /// A dead letter gives its key up.
    var uniqueKeys: [String] { state == .dead ? [] : uniqueKey.map { [$0] } ?? [] }

    /// Bytes that a batch may have for a job beside its kind and payload: unique key and failure, which is shortened,
    /// and index entries, old ones and new ones. Normal form C makes a unique key up to three times as long.
    static let reserve = 16_384

    static let lineIndex = "line"
    static let uniqueIndex = "unique"

    static func definition(_ name: String) -> RepositoryDefinition<JobRecord> {
        var definition = RepositoryDefinition<JobRecord>(
            name,
            indexes: [
                Index(
                    lineIndex, .value(\.lane) { $0.lane }, .value(\.rank) { $0.rank }, .value(\.moment) { $0.moment }),
                Index(uniqueIndex, unique: true, .each(\.uniqueKeys)),
            ],
            coder: JobRecordCoder())
        definition.standIn = { JobRecord(unreadable: $1, id: $0, $2) }
        return definition
    }
}
