import HeartwoodRepository
import Testing

@testable import HeartwoodJobs

/// What a call accepts can be read again, and worked with, whatever the value.
@Suite("Extremes of what is stored of a job", .timeLimit(.minutes(5)))
struct JobExtremesTests {
    static let durations: [Duration] = [
        .zero, .nanoseconds(1), .microseconds(-1), .seconds(-1), .seconds(3_155_760_000), .milliseconds(UInt64.max),
        .seconds(Int64.max), .seconds(Int64.min), .seconds(Int64.max) * 10, .seconds(Int64.min) * 10,
    ]
    static let times = [0, 1, 1 << 48, UInt64(Int64.max), 1 << 63, .max].map { Timestamp(milliseconds: $0) }
    static let texts = [
        "k", "\0", String(repeating: "\0", count: 1_024), String(repeating: "\u{1D160}", count: 256),
    ]

    /// Each extreme of each option, with defaults for the others.
    static var options: [JobOptions] {
        [0, 1, 254, 255].map { JobOptions(priority: JobPriority(rawValue: $0)) }
            + [Int.min, -1, 0, 1, Int(Int32.max), Int(Int32.max) + 1, .max].map {
                JobOptions(retry: JobRetry(limit: $0))
            }
            + durations.flatMap {
                [
                    JobOptions(retry: JobRetry(first: $0)), JobOptions(retry: JobRetry(longest: $0)),
                    JobOptions(retry: JobRetry(first: $0, longest: $0)), .after($0),
                ]
            }
            + times.map { .at($0) } + texts.map { .unique($0) }
    }

    @Test("every extreme of the options runs to its end", arguments: JobEngine.reliable)
    func options(_ engine: JobEngine) async throws {
        let queue = try await JobStore.queue(engine).queue
        var ids: [JobID] = []
        for (number, options) in Self.options.enumerated() {
            ids.append(try await queue.enqueue(Mark(number: number), options))
        }
        for (id, options) in zip(ids, Self.options) {
            let job = try #require(try await queue.job(id), "\(options)")
            #expect(try decoded(job) == job, "\(options)")
            #expect(job.limit == min(max(1, options.retry?.limit ?? 20), Int(Int32.max)))
            #expect(job.uniqueKey == options.uniqueKey)
        }
        #expect(try await queue.verify().isClean)
        #expect(try await queue.jobs(.waiting, limit: 1_000).models.count == ids.count)
        // Every job that is due fails once, and is then retried with each pause.
        var claimed = 0
        for pause in Self.durations {
            while case let jobs = try await queue.exchange(Exchange(demand: 8, lease: .seconds(30))).claimed,
                !jobs.isEmpty
            {
                claimed += jobs.count
                let events: [HeldEvent] = [
                    .fail("", jitter: 1), .retry(String(repeating: "\0", count: 2_000), after: pause), .snooze(pause),
                ]
                let reports = jobs.map { job in
                    Exchange.Report(job: job, event: events[(job.record.attempt - 1) % events.count])
                }
                _ = try await queue.exchange(Exchange(reports: reports, lease: .seconds(30)))
                if claimed > 500 { break }
            }
        }
        #expect(claimed > ids.count)
        for id in ids {
            let job = try #require(try await queue.job(id))
            #expect(try decoded(job) == job)
        }
        #expect(try await queue.verify().isClean)
        let counts = try await queue.counts()
        #expect(counts.due + counts.scheduled + counts.running + counts.dead == ids.count)
        #expect(try await queue.retryDeadLetters() == counts.dead)
    }

    private func decoded(_ job: JobRecord) throws -> JobRecord {
        try JobRecordCoder.decode(JobRecordCoder.encode(job).span.bytes)
    }

    @Test("counters at their ends stay there")
    func counters() throws {
        let most = Int(Int32.max)
        var job = JobRecord(
            id: JobIDs().make(1, now: Timestamp(milliseconds: .max))[0], kind: "k", payload: [],
            enqueued: Timestamp(milliseconds: .max), due: Timestamp(milliseconds: 0), priority: .low,
            retry: JobRetry(limit: .max), uniqueKey: nil)
        (job.attempt, job.failures, job.limit) = (most, most - 1, most)
        let steps: [JobEvent] = [
            .claim(token: UInt64(Int64.max), lease: .seconds(604_800)),
            .held(JobClaim(attempt: most, token: UInt64(Int64.max)), .fail("f", jitter: 0)), .retry,
            .claim(token: 1, lease: .milliseconds(100)),
        ]
        for (number, event) in steps.enumerated() {
            guard case .changed(let next) = job.after(event, now: Timestamp(milliseconds: .max)) else {
                Issue.record("step \(number) was refused")
                return
            }
            #expect(try decoded(next) == next)
            job = next
        }
        let ids = JobIDs()
        #expect(Set(ids.make(10_000, now: Timestamp(milliseconds: .max))).count == 10_000)
    }

    @Test("the largest payload stays within the limits in every state", arguments: JobEngine.reliable)
    func payloads(_ engine: JobEngine) async throws {
        struct Large: Job {
            static let name = "large"
            var text: String
        }
        let (test, queue) = try await JobStore.queue(engine)
        let limits = queue.store.limits
        let room = min(limits.valueBytes, limits.batchBytes, 2_000_000)
        // The name, the syntax of JSON, and what a record has beside its payload.
        let size = room - JobRecord.reserve - "large{\"text\":\"\"}".utf8.count
        let large = Large(text: String(repeating: "x", count: size))
        if room < 2_000_000 {
            await #expect(throws: StoreError.self) { try await queue.enqueue(Large(text: large.text + "x")) }
        }
        let id = try await queue.enqueue(large, .unique(Self.texts[3]))
        let reason = String(repeating: "r", count: 2_000)
        for event in [.fail(reason, jitter: 0), .renew(lease: .seconds(9)), .discard(reason)] as [HeldEvent] {
            test.clock.advance(by: .seconds(3_600))
            let job = try #require(try await queue.exchange(Exchange(demand: 1, lease: .seconds(30))).claimed.first)
            _ = try await queue.exchange(Exchange(reports: [.init(job: job, event: event)], lease: .seconds(30)))
        }
        #expect(try await queue.job(id)?.state == .dead)
        #expect(try await queue.retry(id))
    }

    @Test("workers take any configuration", arguments: JobEngine.reliable, [Int.min, 0, 1, .max])
    func configurations(_ engine: JobEngine, _ number: Int) async throws {
        let (test, queue) = try await JobStore.queue(engine)
        let notes = Notebook<Int>()
        var configuration = JobWorkers.Configuration(count: number, batch: number)
        configuration.clock = test.clock
        configuration.poll = .seconds(Int64.max) * 10
        configuration.grace = .seconds(Int64.max) * 10
        let workers = JobWorkers(
            queue, configuration, handlers: [.handling(Mark.self) { job, _ in notes.add(job.number) }])
        async let running: Void = workers.run()
        try await queue.enqueue(contentsOf: (0..<20).map { Mark(number: $0) })
        try await notes.wait(count: 20)
        workers.stop()
        try await running
    }
}
