import Heartwood
import HeartwoodJobs
import HeartwoodRepository
import Logging
import ServiceLifecycle

/// An hour of UTC: the time that one summary covers.
struct Hour: Hashable, Codable, Sendable, CustomStringConvertible {
    /// Hours since 1970.
    let number: UInt32

    init(number: UInt32) { self.number = number }

    /// The hour of a time in milliseconds since 1970.
    init(of time: UInt64) { number = UInt32(truncatingIfNeeded: time / 3_600_000) }

    /// The first millisecond.
    var start: Timestamp { Timestamp(milliseconds: UInt64(number) * 3_600_000) }
    /// The millisecond after the last one.
    var end: Timestamp { start + .seconds(3_600) }
    var description: String { Timestamps.text(start.milliseconds) }
}

/// The events of an hour in figures.
struct HourSummary: Codable, Identifiable, Sendable, Equatable {
    struct TypeCount: Codable, Sendable, Equatable {
        var type: String
        var events: Int
    }

    /// How many types a summary names.
    static let namedTypes = 50
    /// How many types are counted: those that come first in the hour. Further ones are counted together.
    static let countedTypes = 10_000

    /// The number of the hour.
    let id: UInt32
    var events = 0
    /// The bytes of the clients' objects.
    var bytes = 0
    /// The types with the most events, in this order.
    var types: [TypeCount] = []
    /// The number of events of other types.
    var others = 0
    /// When the events were counted, in milliseconds since 1970.
    var counted: UInt64

    static let definition = RepositoryDefinition<HourSummary>("summaries")

    /// Sets the types from how often each occurs.
    mutating func name(_ counts: [String: Int]) {
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        types = sorted.prefix(Self.namedTypes).map { TypeCount(type: $0.key, events: $0.value) }
        others = types.reduce(events) { $0 - $1.events }
    }
}

/// Which hours are summarised, and until when an hour can be counted again.
struct SummaryWindow: Sendable {
    /// How long summaries are kept, from the end of their hour.
    let lifetime: Duration
    /// How long events exist, from their arrival; nil for ever.
    let retention: Duration?

    /// Nil if there are no summaries. With a retention below four hours, events could expire before they are counted.
    init?(lifetime: Duration?, retention: Duration?) {
        guard let lifetime, retention.map({ $0 >= .seconds(4 * 3_600) }) ?? true else { return nil }
        (self.lifetime, self.retention) = (lifetime, retention)
    }

    /// Whether an event of this hour that comes now has the hour summarised, again if necessary. The clock of a client
    /// may be an hour ahead. This bounds the number of jobs, whatever times clients send.
    func contains(_ hour: Hour, at now: Timestamp) -> Bool {
        // An hour before `isComplete` ends, so that there is time for the job.
        let reach = min(lifetime, retention.map { $0 - .seconds(7_200) } ?? lifetime)
        return hour.start <= now + .seconds(3_600) && now < hour.start + reach
    }

    /// Whether all events of the hour still exist. Later, a count would miss those that have expired.
    func isComplete(_ hour: Hour, at now: Timestamp) -> Bool {
        retention.map { now + .seconds(3_600) < hour.start + $0 } ?? true
    }
}

/// The job that makes the summary of an hour. Its unique key is the hour.
struct SummariseHour: Job {
    static let name = "summarise-hour"
    static var options: JobOptions {
        JobOptions(retry: JobRetry(limit: 8, first: .seconds(10), longest: .seconds(600)))
    }

    var hour: Hour
}

/// Makes the summaries of hours.
///
/// An hour has a mark, a key, while it has events that its summary may lack. The mark is set in the commit of the
/// events, so a crash can't separate them. A job is made for each mark that is found in the store, also for those of
/// another collector on the same cluster. The job removes the mark, and then counts: an event that was written before
/// is counted, and a later one sets the mark again.
struct Summaries: Service {
    /// A job runs this long after the end of its hour, so that most late events are there; and this long after later
    /// ones, so that an hour isn't counted again for each of them.
    static let delay = Duration.seconds(300)

    let store: any KeyValueStore
    let window: SummaryWindow
    let records: Repository<HourSummary>
    let queue: JobQueue
    let metrics: MetricsRegistry
    let logger: Logger
    /// How often marks are looked for.
    var interval = Duration.seconds(60)

    init(
        _ store: any KeyValueStore, _ window: SummaryWindow, _ metrics: MetricsRegistry, _ logger: Logger
    ) async throws {
        (self.store, self.window, self.metrics, self.logger) = (store, window, metrics, logger)
        records = try await store.repository(HourSummary.definition)
        queue = try await JobQueue.open(in: store, durability: .synced)
    }

    /// What runs the jobs.
    var workers: JobWorkers {
        var configuration = JobWorkers.Configuration(count: 1)
        // A job that is interrupted loses nothing: it begins again after the next start.
        configuration.grace = .seconds(1)
        configuration.logger = logger
        return JobWorkers(
            queue, configuration,
            handlers: [
                .handling(SummariseHour.self) { job, context in
                    try await measuring { try await summarise(job.hour, context) }
                }
            ])
    }

    /// Makes the jobs of marks, until the service is stopped.
    func run() async throws {
        // Cancellation is the way in which it ends, no error.
        try? await cancelWhenGracefulShutdown {
            while true {
                do {
                    try await enqueueMarked()
                } catch {
                    // It is tried again at the next time: the disk may be full. If a store on files has failed, its own
                    // service ends the group.
                    logger.warning("the summaries of hours aren't scheduled yet", metadata: ["error": "\(error)"])
                }
                try await Task.sleep(for: interval)
            }
        }
    }

    /// Enqueues the job of each hour that has a mark, unless there is one.
    func enqueueMarked() async throws {
        for key in try await store.readView(for: .answer).fetchKeys(in: Keys.marks, limit: .max) {
            let hour = Hour(number: UInt32(bytes: key.dropFirst()))
            let start = max(hour.end, store.now) + Self.delay
            try await queue.enqueue(SummariseHour(hour: hour), JobOptions(start: .at(start), uniqueKey: "\(hour)"))
        }
    }

    /// Makes the summary of an hour, and finishes its job in the same commit.
    ///
    /// - Complexity: O(events) in time, O(1) in memory.
    private func summarise(_ hour: Hour, _ context: JobContext) async throws {
        var batch = WriteBatch()
        batch.remove(Keys.mark(hour))
        try await store.write(batch, durability: .synced)
        let summary = try await count(hour)
        try await store.transaction(durability: .synced) { transaction in
            // A count of events of which some had already expired is no better than the summary that there is.
            let earlier = try await records.find(by: hour.number, in: transaction)
            if summary.events > 0, window.isComplete(hour, at: store.now) || earlier == nil {
                try await records.save(summary, expires: .at(hour.end + window.lifetime), in: transaction)
            }
            try await context.finish(in: transaction)
        }
    }

    func count(_ hour: Hour) async throws -> HourSummary {
        var summary = HourSummary(id: hour.number, counted: store.now.milliseconds)
        var types: [String: Int] = [:]
        let view = try await store.readView(for: .answer)
        var rest: KeyRange? = Keys.events(nil, from: hour.start.milliseconds, to: hour.end.milliseconds)
        while let range = rest {
            let page = try await view.fetchEntries(in: range, reversed: false, limit: 256)
            for entry in page.entries {
                summary.events += 1
                summary.bytes += entry.value.count
                guard let type = EventFrames.type(entry.value) else { continue }
                if types[type] != nil || types.count < HourSummary.countedTypes { types[type, default: 0] += 1 }
            }
            rest = page.next
        }
        summary.name(types)
        return summary
    }

    // MARK: Metrics, with the names of swift-jobs

    /// Runs the body of a job, and records how it ended and how long it took.
    private func measuring(_ body: () async throws -> Void) async throws {
        let started = ContinuousClock.now
        func ended(_ status: String) {
            let labels = [("name", SummariseHour.name), ("status", status)]
            metrics.counter("swift.jobs", labels).increment(by: 1.0)
            metrics.timer("swift.jobs.duration", labels).record((ContinuousClock.now - started) / .seconds(1))
        }
        do {
            try await body()
            ended("succeeded")
        } catch {
            ended(Task.isCancelled ? "cancelled" : "failed")
            throw error
        }
    }

    func updateMetrics() async throws {
        let counts = try await queue.counts()
        let states = [
            ("queued", counts.due), ("scheduled", counts.scheduled), ("processing", counts.running),
            ("dead", counts.dead),
        ]
        for (status, count) in states { metrics.gauge("swift.jobs.meter", [("status", status)]).set(Double(count)) }
    }
}
