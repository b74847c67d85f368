import Heartwood
import HeartwoodJobs
import HeartwoodRepository
import Logging
import ServiceLifecycle

/// The summaries of hours, and the queue of the jobs that make them.
struct Summaries: Sendable {
    /// A job runs this long after the end of its hour, so that most late events are there; and this long after later
    /// ones, so that an hour isn't counted again for each of them.
    static let delay = Duration.seconds(300)
    /// How long an hour stays closed. Requests that rely on its mark are long done then.
    private static let closing = Duration.seconds(86_400)

    let store: any KeyValueStore
    let window: SummaryWindow
    let records: Repository<HourSummary>
    let queue: JobQueue
    let marks: HourMarks

    init(_ store: any KeyValueStore, _ window: SummaryWindow) async throws {
        (self.store, self.window) = (store, window)
        records = try await store.repository(HourSummary.definition)
        queue = try await JobQueue.open(in: store, durability: .synced)
        marks = HourMarks(window)
    }

    /// What runs the jobs, and what makes them.
    func services(_ metrics: JobMetrics, _ logger: Logger) -> [any Service] {
        var configuration = JobWorkers.Configuration(count: 1)
        // A job that is interrupted loses nothing: it begins again after the next start.
        configuration.grace = .seconds(1)
        configuration.logger = logger
        let handler = JobHandler.handling(SummariseHour.self) { job, context in
            try await metrics.measuring(SummariseHour.name) { try await summarise(job.hour, context) }
        }
        return [
            SummaryScheduler(summaries: self, logger: logger), JobWorkers(queue, configuration, handlers: [handler]),
        ]
    }

    /// When the job of an hour runs that is enqueued now.
    private func options(_ hour: Hour) -> JobOptions {
        JobOptions(start: .at(max(hour.end, store.now) + Self.delay), uniqueKey: "\(hour)")
    }

    /// Enqueues the job of an hour, unless there is one.
    func enqueue(_ hour: Hour) async throws(StoreError) {
        try await queue.enqueue(SummariseHour(hour: hour), options(hour))
    }

    /// The hours that have a mark in the store.
    func markedHours() async throws(StoreError) -> [Hour] {
        try await store.readView(for: .answer).fetchKeys(in: EventKeys.marks, limit: .max)
            .compactMap { EventKeys.hour(ofMark: $0) }
    }

    /// Makes the summary of an hour, and finishes its job.
    func summarise(_ hour: Hour, _ context: JobContext) async throws {
        try await close(hour)
        try await finish(hour, try await count(hour), context)
    }

    /// Writes the summary of an hour and the end of its job, in one commit.
    func finish(_ hour: Hour, _ summary: HourSummary?, _ context: JobContext) async throws {
        try await store.transaction(durability: .synced) { transaction in
            if let summary, try await counts(summary, in: transaction) {
                try await records.save(summary, expires: .at(hour.end + window.lifetime), in: transaction)
            }
            try await context.finish(in: transaction)
            // Events that came during the count. The mark is a condition of the commit.
            if try await transaction.fetchEntry(EventKeys.mark(hour)) != nil {
                try await queue.enqueue(SummariseHour(hour: hour), options(hour), in: transaction)
            }
        }
    }

    /// From here on, events of the hour set its mark again.
    func close(_ hour: Hour) async throws(StoreError) {
        var batch = WriteBatch()
        batch.remove(EventKeys.mark(hour))
        batch.put(EventKeys.closed(hour), [], expires: .after(Self.closing))
        try await store.write(batch, durability: .synced)
        marks.closed(hour)
    }

    /// Nil if there are no events.
    ///
    /// - Complexity: O(events) in time, O(1) in memory.
    func count(_ hour: Hour) async throws -> HourSummary? {
        var count = HourCount()
        let view = try await store.readView(for: .answer)
        var rest: KeyRange? = EventKeys.range(type: nil, from: hour.start.milliseconds, to: hour.end.milliseconds)
        while let range = rest {
            let page = try await view.fetchEntries(in: range, reversed: false, limit: 256)
            for entry in page.entries { count.add(entry.value) }
            rest = page.next
        }
        return count.events == 0 ? nil : count.summary(of: hour, counted: store.now.milliseconds)
    }

    /// Whether a count is better than the summary that there is. One that was made when events of the hour had already
    /// expired isn't.
    private func counts(_ summary: HourSummary, in transaction: Transaction) async throws(StoreError) -> Bool {
        if window.isComplete(summary.hour, at: store.now) { return true }
        return try await records.find(by: summary.id, in: transaction) == nil
    }
}
