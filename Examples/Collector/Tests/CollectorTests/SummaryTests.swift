import Foundation
import HTTPTypes
import Heartwood
import HeartwoodJobs
import HeartwoodRepository
import HeartwoodTesting
import HummingbirdTesting
import Testing

@testable import collector

extension Fixture {
    /// Runs the jobs of all hours that have a mark, and those that are in the queue, until none is left.
    func settle(_ collector: Collector) async throws {
        let summaries = try #require(collector.summaries)
        let workers = summaries.workers
        async let running: Void = workers.run()
        while true {
            let counts = try await summaries.queue.counts()
            if counts.due + counts.running == 0 {
                let marks = try await summaries.marks()
                if counts.scheduled == 0 && marks.isEmpty { break }
                try await summaries.enqueueMarked()
                clock.advance(by: .seconds(2 * 3_600))
            }
            try await Task.sleep(for: .milliseconds(1))
        }
        workers.stop()
        try await running
    }
}

extension Summaries {
    func marks() async throws -> [Hour] {
        let keys = try await store.readView().fetchKeys(in: Keys.marks, limit: .max)
        return keys.map { Hour(number: UInt32(bytes: $0.dropFirst())) }
    }

    /// Compares all summaries with all events, which Foundation reads.
    func check() async throws {
        struct Figures: Equatable {
            var events = 0, bytes = 0
            var types: [String: Int] = [:]
        }
        struct Difference: Error { var found, expected: [UInt32: Figures] }
        var expected: [UInt32: Figures] = [:]
        for entry in try await store.fetchEntries(in: Keys.events, reversed: false, limit: .max).entries {
            let object = try JSONSerialization.jsonObject(with: Data(entry.value)) as? [String: Any]
            let type = try #require(object?["type"] as? String)
            let hour = UInt32(EventID(bytes: entry.key).time / 1_000 / 60 / 60)
            expected[hour, default: Figures()].events += 1
            expected[hour, default: Figures()].bytes += entry.value.count
            expected[hour, default: Figures()].types[type, default: 0] += 1
        }
        var found: [UInt32: Figures] = [:]
        for summary in try await records.loadAll() {
            #expect(summary.others == 0)
            let types = Dictionary(uniqueKeysWithValues: summary.types.map { ($0.type, $0.events) })
            found[summary.id] = Figures(events: summary.events, bytes: summary.bytes, types: types)
        }
        guard found == expected else { throw Difference(found: found, expected: expected) }
    }
}

@Suite(.timeLimit(.minutes(20))) struct SummaryTests {
    private static func event(_ type: String, at time: Timestamp? = nil) -> String {
        "{\"type\":\"\(type)\"" + (time.map { ",\"time\":\($0.milliseconds)" } ?? "") + "}"
    }

    /// A service without its own services, with summaries.
    private func run(
        _ fixture: Fixture = Fixture(),
        _ body: @Sendable @escaping (any TestClientProtocol, Summaries, Fixture, Collector) async throws -> Void
    ) async throws {
        try await fixture.run { client, collector, _ in
            try await body(client, try #require(collector.summaries), fixture, collector)
        }
    }

    @Test func summariesEqualACountMadeInAnotherWay() async throws {
        try await run { client, summaries, fixture, collector in
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
            try await summaries.check()
            let all = try await summaries.records.loadAll()
            #expect(all.count >= 4)
            // And with the routes that count keys.
            for summary in all {
                let hour = Hour(number: summary.id)
                let span = "from=\(hour.start.milliseconds)&to=\(hour.end.milliseconds)"
                #expect(try await client.read("/events/count?\(span)").count == summary.events)
                let count = try await client.read("/events/count?type=a&\(span)").count
                #expect(summary.types.first { $0.type == "a" }?.events == count)
            }
        }
    }

    @Test func anHourIsCountedAgainForEventsThatComeLater() async throws {
        try await run { client, summaries, fixture, collector in
            let first = fixture.clock.now()
            _ = try await client.post(Self.event("a"))
            try await fixture.settle(collector)
            #expect(try await summaries.records.find(by: Hour(of: first.milliseconds).number)?.events == 1)
            _ = try await client.post(Self.event("b", at: first) + "\n" + Self.event("a"))
            let marks = try await summaries.marks()
            #expect(marks == [Hour(of: first.milliseconds), Hour(of: fixture.clock.now().milliseconds)])
            try await fixture.settle(collector)
            try await summaries.check()
            #expect(try await summaries.records.find(by: Hour(of: first.milliseconds).number)?.events == 2)
        }
    }

    /// Events of one hour come while it is counted again and again.
    @Test func countingAndWritingAtTheSameTimeLosesNothing() async throws {
        try await run { client, summaries, fixture, collector in
            let first = fixture.clock.now()
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
                let workers = summaries.workers
                async let running: Void = workers.run()
                for round in 0..<20 {
                    // Due at once, whatever else is scheduled for the hour.
                    let job = SummariseHour(hour: Hour(of: first.milliseconds))
                    try await summaries.queue.enqueue(job, .unique("round \(round)"))
                    try await wait(summaries.queue) { $0.due + $0.running == 0 }
                }
                try await group.waitForAll()
                workers.stop()
                try await running
            }
            try await fixture.settle(collector)
            try await summaries.check()
        }
    }

    private func wait(_ queue: JobQueue, until isReached: (JobCounts) -> Bool) async throws {
        while !isReached(try await queue.counts()) { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// Also of marks that a service before has set, as after a crash.
    @Test func jobsAreMadeOfMarks() async throws {
        try await run { client, summaries, fixture, collector in
            _ = try await client.post(Self.event("a"))
            #expect(try await summaries.queue.counts().scheduled == 0)
            var scheduler = try #require(try await fixture.collector(collector.store).summaries)
            scheduler.interval = .milliseconds(5)
            let task = Task { [scheduler] in try await scheduler.run() }
            try await wait(summaries.queue) { $0.scheduled == 1 }
            fixture.clock.advance(by: .seconds(3_600))
            _ = try await client.post(Self.event("a"))
            try await wait(summaries.queue) { $0.scheduled == 1 && $0.due == 1 }
            let jobs = try await summaries.queue.jobs(.waiting, limit: 10).models
            let hour = Hour(of: fixture.clock.now().milliseconds)
            #expect(jobs.map(\.uniqueKey) == ["\(Hour(number: hour.number - 1))", "\(hour)"])
            #expect(jobs.last?.time == hour.end + Summaries.delay, "it runs after the end of its hour")
            task.cancel()
            try await task.value
        }
    }

    @Test func summariesOutliveTheEventsAndThenExpire() async throws {
        try await run { client, _, fixture, collector in
            _ = try await client.post(Self.event("a"))
            try await fixture.settle(collector)
            for (days, events, summaries) in [(0, 1, 1), (31, 0, 1), (335, 0, 0)] {
                fixture.clock.advance(by: .seconds(days * 86_400))
                #expect(try await client.read("/events/count").count == events)
                #expect((try await client.read("/summaries").json["summaries"] as? [Any])?.count == summaries)
            }
        }
    }

    @Test func aSummaryIsNotReplacedWhenEventsHaveExpired() async throws {
        try await run { client, summaries, fixture, collector in
            let first = fixture.clock.now()
            let hour = Hour(of: first.milliseconds)
            _ = try await client.post(Self.event("a") + "\n" + Self.event("b"))
            try await fixture.settle(collector)
            fixture.clock.advance(by: .seconds(31 * 86_400))
            // Too late for a new count.
            _ = try await client.post(Self.event("c", at: first))
            #expect(try await summaries.marks().isEmpty)
            // A job that was late.
            try await summaries.store.write(
                .init(operations: [.init(key: Keys.mark(hour), value: [])]), durability: nil)
            try await fixture.settle(collector)
            #expect(try await summaries.records.find(by: hour.number)?.events == 2)
        }
    }

    @Test func timesFarAwayHaveNoHourSummarised() async throws {
        try await run { client, summaries, fixture, _ in
            let now = fixture.clock.now()
            let times = (0..<400).map { Timestamp(milliseconds: UInt64($0) * 86_400_000) } + [now + .seconds(7_200)]
            _ = try await client.post(times.map { Self.event("a", at: $0) }.joined(separator: "\n"))
            #expect(try await summaries.marks().isEmpty)
        }
    }

    /// The disk crashes at each of its calls, while events are written and hours are summarised.
    @Test func noSummaryIsLostOrCountsTwiceAfterACrash() async throws {
        struct EventsLost: Error {}
        let report = try await CrashTest(statesPerMoment: 3).run { disk in
            let fixture = Fixture(on: disk.storage)
            try await fixture.run { client, collector, _ in
                // Two hours in each request; in the later requests the first hour is late.
                let body = Self.event("a") + "\n" + Self.event("late", at: fixture.clock.now())
                for number in 0..<3 {
                    #expect(try await client.post(body).status == .created)
                    disk.note(2)
                    if number < 2 { try await fixture.settle(collector) }
                }
            }
        } check: { disk, crash in
            let fixture = Fixture(on: disk.storage)
            // Later than all times of the run.
            fixture.clock.advance(by: .seconds(24 * 3_600))
            let store = try await fixture.open()
            let collector = try await fixture.collector(store)
            guard try await store.eventCount >= crash.notes(of: Int.self).reduce(0, +) else { throw EventsLost() }
            try await fixture.settle(collector)
            try await collector.summaries?.check()
            try await store.end()
        }
        #expect(report.crashes > 50)
    }

    // MARK: Parts

    /// An hour that is marked can be counted for an hour more, before its first event may expire.
    @Test(arguments: [4, 24, 30 * 24], [1, 365]) func whatIsMarkedCanBeCounted(_ hours: Int, _ days: Int) throws {
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        let current = Hour(of: now.milliseconds)
        #expect("\(current)" == "2023-11-14T22:00:00.000Z" && Hour(of: current.end.milliseconds - 1) == current)
        let (lifetime, retention) = (Duration.seconds(days * 86_400), Duration.seconds(hours * 3_600))
        #expect(SummaryWindow(lifetime: lifetime, retention: .seconds(4 * 3_600 - 1)) == nil)
        let window = try #require(SummaryWindow(lifetime: lifetime, retention: retention))
        for distance in -2...(400 * 24) {
            let hour = Hour(number: UInt32(Int(current.number) - distance))
            guard window.contains(hour, at: now) else { continue }
            #expect(window.isComplete(hour, at: now + .seconds(3_600)))
            #expect(distance >= -1 && distance < min(hours - 1, days * 24 + 1))
        }
        #expect(window.contains(current, at: now) && window.contains(Hour(number: current.number - 1), at: now))
        // The first count, some minutes after the hour.
        #expect(window.isComplete(current, at: current.end + Summaries.delay + .seconds(1_800)))
    }

    /// Few types are named, and types don't fill the memory.
    @Test func aSummaryNamesTheLargestTypes() async throws {
        try await run(Fixture(on: .inMemory())) { client, summaries, fixture, collector in
            let types = (0..<60).flatMap { type in Array(repeating: "t\(type)", count: type + 1) }
            let hour = Hour(of: fixture.clock.now().milliseconds)
            _ = try await client.post(types.map { Self.event($0) }.joined(separator: "\n"))
            var summary = try await summaries.count(hour)
            #expect(summary.events == 60 * 61 / 2 && summary.others == 10 * 11 / 2)
            #expect(summary.types.map(\.type) == (10..<60).reversed().map { "t\($0)" })
            #expect(summary.types.first?.events == 60)
            for start in stride(from: 0, to: HourSummary.countedTypes, by: 250) {
                let lines = (start..<(start + 250)).map { Self.event("u\($0)") } + [Self.event("t59")]
                _ = try await client.post(lines.joined(separator: "\n"))
            }
            for _ in 0..<2 {
                _ = try await client.post(Array(repeating: Self.event("v"), count: 100).joined(separator: "\n"))
            }
            summary = try await summaries.count(hour)
            // One that came in time is counted exactly; one that came too late is among the others.
            #expect(summary.types.first == HourSummary.TypeCount(type: "t59", events: 100))
            #expect(summary.types.count == HourSummary.namedTypes && !summary.types.contains { $0.type == "v" })
            #expect(summary.others == 10_255)
        }
    }

    // MARK: Routes

    @Test(arguments: [1, 3, 10, 1_000], ["", "from=1970-01-05T05:30:00Z&to=1970-01-05T11:00:00Z"])
    func pagesGoThroughAllSummaries(_ limit: Int, _ filter: String) async throws {
        try await run { client, summaries, _, _ in
            for number in UInt32(100)..<110 {
                var summary = HourSummary(id: number, events: Int(number), bytes: 12, counted: 1_000)
                summary.name(["a": Int(number)])
                try await summaries.records.save(summary)
            }
            let pages = try await client.pages("/summaries?\(filter)&limit=\(limit)")
            let found = pages.flatMap { $0.json["summaries"] as? [[String: Any]] ?? [] }
            // Hours that begin in the span.
            let expected = (filter.isEmpty ? Array(100..<110) : Array(102..<107)).reversed()
            #expect(found.compactMap { $0["events"] as? Int } == Array(expected))
            #expect(pages.allSatisfy { $0.text.contains("\"next\":") })
            let first = try #require(found.first)
            #expect(
                first["hour"] as? String == (filter.isEmpty ? "1970-01-05T13:00:00.000Z" : "1970-01-05T10:00:00.000Z"))
            #expect(first["counted"] as? String == "1970-01-01T00:00:01.000Z")
            #expect(first["bytes"] as? Int == 12 && first["others"] as? Int == 0)
            let types = first["types"] as? [[String: Any]]
            #expect(types?.first?["type"] as? String == "a" && types?.first?["events"] as? Int == expected.first)
            if let cursor = pages.first?.json["next"] as? String {
                #expect(try await client.read("/summaries?from=0&cursor=\(cursor)").code == "invalid-cursor")
            }
        }
    }

    @Test func aSummaryThatFailsIsADeadLetterThatCanBeSeenAndRetried() async throws {
        /// A job that the handler of summaries can't read.
        struct Unreadable: Job {
            static let name = SummariseHour.name
            var hours = "many"
        }
        try await run { client, summaries, fixture, collector in
            _ = try await client.post()
            try await summaries.queue.enqueue(Unreadable(), .unique("an hour"))
            #expect(try await client.read("/jobs").json["due"] as? Int == 1)
            try await fixture.settle(collector)
            let jobs = try await client.read("/jobs").json
            for (state, count) in [("dead", 1), ("due", 0), ("scheduled", 0), ("running", 0)] {
                #expect(jobs[state] as? Int == count)
            }
            let letter = try #require((jobs["deadLetters"] as? [[String: Any]])?.first)
            #expect(letter["key"] as? String == "an hour" && letter["kind"] as? String == "summarise-hour")
            #expect((letter["failure"] as? String)?.isEmpty == false)
            let metrics = try await client.read("/metrics").text
            for line in [
                #"swift_jobs_total{name="summarise-hour",status="succeeded"} 1"#,
                #"swift_jobs_meter{status="dead"} 1"#, #"swift_jobs_meter{status="queued"} 0"#,
                #"swift_jobs_duration_seconds_count{name="summarise-hour",status="succeeded"} 1"#,
            ] { #expect(metrics.contains(line + "\n"), "\(line) isn't in \(metrics)") }
            let retried = try await client.send(
                .post, "/jobs/retry", [.authorization: "Bearer \(Fixture.write)"])
            #expect(retried.text == #"{"retried":1}"#)
            #expect(try await client.read("/jobs").json["due"] as? Int == 1)
        }
    }

    @Test(arguments: ["no store", "no days", "short retention"])
    func withoutSummariesThereAreNoJobs(_ reason: String) async throws {
        var fixture = Fixture()
        if reason == "no days" { fixture.settings.summaryLifetime = nil }
        if reason == "short retention" { fixture.settings.retention = .seconds(60) }
        let store = reason == "no store" ? nil : try await fixture.open()
        let collector = try await fixture.collector(store)
        #expect(!collector.services.contains { $0 is JobWorkers || $0 is Summaries })
        try await collector.application().test(.router) { client in
            #expect(try await client.post().status == .created)
            for uri in ["/summaries", "/jobs"] {
                let answer = try await client.read(uri)
                #expect(answer.status == .notImplemented && answer.code == "no-summaries")
            }
            #expect(try await client.read("/metrics").status == .ok)
        }
        #expect(try await store?.fetchCount(in: Keys.marks) ?? 0 == 0)
        try await store?.end()
    }
}
