import HTTPTypes
import Heartwood
import HeartwoodJobs
import HeartwoodRepository
import Hummingbird
import HummingbirdTesting
import Testing

@testable import CollectorService

@Suite(.timeLimit(.minutes(10))) struct SummaryTests {
    private static func event(_ type: String, at time: Timestamp? = nil) -> String {
        "{\"type\":\"\(type)\"" + (time.map { ",\"time\":\($0.milliseconds)" } ?? "") + "}"
    }

    private func wait(_ queue: JobQueue, until isReached: (JobCounts) -> Bool) async throws {
        while !isReached(try await queue.counts()) { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func summariesEqualACountMadeInAnotherWay() async throws {
        let fixture = Fixture()
        try await fixture.runCollector { client, collector in
            let now = fixture.clock.now()
            for number in 0..<20 {
                // Of five hours, in any order, some after their hour, with types that need escapes.
                let lines = (0..<30).map { index in
                    let type = ["a", "b\\u0062", "\\\"q\\\"", "ünï", "long type \(index % 3)"][index % 5]
                    let time = now + .seconds(-3 * 3_600 + (index * 977 + number * 7_919) % (4 * 3_600))
                    return Self.event(type, at: index % 7 == 0 ? nil : time)
                }
                #expect(try await client.post(lines.joined(separator: "\n")).status == .created)
            }
            try await fixture.settle(collector)
            try await ReferenceCount.check(collector)
            let summaries = try #require(collector.summaries)
            #expect(try await summaries.markedHours().isEmpty)
            let all = try await summaries.records.loadAll()
            #expect(all.count >= 4)
            // And with the routes that count keys.
            for summary in all {
                let span = "from=\(summary.hour.start.milliseconds)&to=\(summary.hour.end.milliseconds)"
                #expect(try await client.read("/events/count?\(span)").json["count"] as? Int == summary.events)
                let count = try await client.read("/events/count?type=a&\(span)").json["count"] as? Int
                #expect(summary.types.first { $0.type == "a" }?.events == count)
            }
        }
    }

    @Test func anHourIsCountedAgainForEventsThatComeLater() async throws {
        let fixture = Fixture()
        try await fixture.runCollector { client, collector in
            let summaries = try #require(collector.summaries)
            let first = fixture.clock.now()
            let hour = Hour(of: first.milliseconds)
            _ = try await client.post(Self.event("a"))
            try await fixture.settle(collector)
            #expect(try await summaries.records.find(by: hour.number)?.events == 1)
            _ = try await client.post(Self.event("b", at: first) + "\n" + Self.event("a"))
            #expect(try await summaries.markedHours() == [hour, Hour(of: fixture.clock.now().milliseconds)])
            try await fixture.settle(collector)
            try await ReferenceCount.check(collector)
            #expect(try await summaries.records.find(by: hour.number)?.events == 2)
        }
    }

    /// The request relies on the mark that an earlier one has set, and the job removes it before the commit.
    @Test(arguments: [nil, "key"])
    func anHourThatIsClosedInBetweenIsMarkedAgain(_ key: String?) async throws {
        let fixture = Fixture()
        try await fixture.runCollector { client, collector in
            let store = try #require(collector.store)
            let hour = Hour(of: fixture.clock.now().milliseconds)
            _ = try await client.post(Self.event("a"))
            #expect(try await store.fetchEntry(EventKeys.mark(hour)) != nil)
            // As the job does it, except that the service isn't told.
            try await store.write(.init(operations: [.init(key: EventKeys.mark(hour), value: nil)]), durability: nil)
            _ = try await client.post(Self.event("a"))
            let mark = try await store.fetchEntry(EventKeys.mark(hour))
            #expect(mark == nil, "a later request doesn't set the mark")
            try await store.write(.init(operations: [.init(key: EventKeys.closed(hour), value: [])]), durability: nil)
            #expect(try await client.post(Self.event("a"), key: key).status == .created)
            #expect(try await store.fetchEntry(EventKeys.mark(hour)) != nil)
            #expect(try await store.fetchCount(in: EventKeys.events) == 3)
            if let key {
                let again = try await client.post(Self.event("a"), key: key)
                #expect(again.headers[.idempotentReplayed] == "true")
                #expect(try await client.post(Self.event("b"), key: key).code == "idempotency-key-reused")
            }
        }
    }

    /// The scheduler finds the running job, and makes none.
    @Test func aJobMakesTheNextOneIfEventsCameDuringTheCount() async throws {
        let fixture = Fixture()
        try await fixture.runCollector { client, collector in
            let summaries = try #require(collector.summaries)
            let hour = Hour(of: fixture.clock.now().milliseconds)
            _ = try await client.post(Self.event("a"))
            let handler = JobHandler.handling(SummariseHour.self) { job, context in
                try await summaries.close(job.hour)
                let summary = try await summaries.count(job.hour)
                _ = try await client.post(Self.event("b"))
                try await summaries.enqueue(job.hour)
                try await summaries.finish(job.hour, summary, context)
            }
            let workers = JobWorkers(summaries.queue, handlers: [handler])
            async let running: Void = workers.run()
            try await summaries.queue.enqueue(SummariseHour(hour: hour), .unique("\(hour)"))
            try await wait(summaries.queue) { $0.due + $0.running == 0 }
            #expect(try await summaries.records.find(by: hour.number)?.events == 1)
            #expect(try await summaries.queue.counts().scheduled == 1)
            workers.stop()
            try await running
            try await fixture.settle(collector)
            #expect(try await summaries.records.find(by: hour.number)?.events == 2)
        }
    }

    /// Events of one hour come while it is counted again and again.
    @Test func countingAndWritingAtTheSameTimeLosesNothing() async throws {
        let fixture = Fixture()
        try await fixture.runCollector { client, collector in
            let summaries = try #require(collector.summaries)
            let first = fixture.clock.now()
            let hour = Hour(of: first.milliseconds)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for index in 0..<50 {
                            let event = Self.event("w\(writer)", at: index % 2 == 0 ? nil : first)
                            let answer = try await client.post(event)
                            #expect(answer.status == .created)
                        }
                    }
                }
                fixture.clock.advance(by: .seconds(2 * 3_600))
                let workers = try #require(collector.services.compactMap { $0 as? JobWorkers }.first)
                async let running: Void = workers.run()
                for round in 0..<20 {
                    // Due at once, whatever else is scheduled for the hour.
                    try await summaries.queue.enqueue(SummariseHour(hour: hour), .unique("round \(round)"))
                    try await wait(summaries.queue) { $0.due + $0.running == 0 }
                }
                try await group.waitForAll()
                workers.stop()
                try await running
            }
            try await fixture.settle(collector)
            try await ReferenceCount.check(collector)
        }
    }

    @Test func theSchedulerMakesJobsOfMarksInTheStoreAndOfNewOnes() async throws {
        let fixture = Fixture()
        let store = try await fixture.open()
        let before = try await fixture.collector(store)
        try await before.application().test(.router) { client in _ = try await client.post(Self.event("a")) }
        let queue = try #require(before.summaries).queue
        #expect(try await queue.counts().scheduled == 0)
        // As after a crash: the mark is there, and no job.
        let collector = try await fixture.collector(store)
        let summaries = try #require(collector.summaries)
        var scheduler = try #require(collector.services.compactMap { $0 as? SummaryScheduler }.first)
        scheduler.interval = .milliseconds(5)
        let task = Task { [scheduler] in try await scheduler.run() }
        try await wait(summaries.queue) { $0.scheduled == 1 }
        fixture.clock.advance(by: .seconds(3_600))
        try await collector.application().test(.router) { client in _ = try await client.post(Self.event("a")) }
        try await wait(summaries.queue) { $0.scheduled == 1 && $0.due == 1 }
        let jobs = try await summaries.queue.jobs(.waiting, limit: 10).models
        let hour = Hour(of: fixture.clock.now().milliseconds)
        #expect(jobs.map(\.uniqueKey) == ["\(Hour(number: hour.number - 1))", "\(hour)"])
        #expect(jobs.last?.time == hour.end + Summaries.delay, "it runs after the end of its hour")
        task.cancel()
        try await task.value
        try await store.end()
    }

    @Test func summariesOutliveTheEventsAndThenExpire() async throws {
        let fixture = Fixture()
        try await fixture.runCollector { client, collector in
            _ = try await client.post(Self.event("a"))
            try await fixture.settle(collector)
            fixture.clock.advance(by: .seconds(31 * 86_400))
            #expect(try await client.read("/events/count").json["count"] as? Int == 0)
            #expect((try await client.read("/summaries").json["summaries"] as? [Any])?.count == 1)
            fixture.clock.advance(by: .seconds(335 * 86_400))
            #expect((try await client.read("/summaries").json["summaries"] as? [Any])?.count == 0)
        }
    }

    @Test func aSummaryIsNotReplacedWhenEventsHaveExpired() async throws {
        let fixture = Fixture()
        try await fixture.runCollector { client, collector in
            let (store, summaries) = (try #require(collector.store), try #require(collector.summaries))
            let first = fixture.clock.now()
            let hour = Hour(of: first.milliseconds)
            _ = try await client.post(Self.event("a") + "\n" + Self.event("b"))
            try await fixture.settle(collector)
            fixture.clock.advance(by: .seconds(31 * 86_400))
            // Too late for a new count.
            _ = try await client.post(Self.event("c", at: first))
            #expect(try await store.fetchEntry(EventKeys.mark(hour)) == nil)
            // A job that was late.
            try await store.write(.init(operations: [.init(key: EventKeys.mark(hour), value: [])]), durability: nil)
            try await fixture.settle(collector)
            #expect(try await summaries.records.find(by: hour.number)?.events == 2)
        }
    }

    @Test func timesFarAwayHaveNoHourSummarised() async throws {
        let fixture = Fixture()
        try await fixture.runCollector { client, collector in
            let now = fixture.clock.now()
            let times = (0..<1_000).map { Timestamp(milliseconds: UInt64($0) * 86_400_000) } + [now + .seconds(7_200)]
            _ = try await client.post(times.map { Self.event("a", at: $0) }.joined(separator: "\n"))
            let summaries = try #require(collector.summaries)
            #expect(try await summaries.markedHours().isEmpty)
        }
    }
}
