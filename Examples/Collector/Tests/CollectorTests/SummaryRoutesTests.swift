import Foundation
import HTTPTypes
import Heartwood
import HeartwoodJobs
import HeartwoodRepository
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import CollectorService

@Suite(.timeLimit(.minutes(10))) struct SummaryRoutesTests {
    /// A job that the handler of summaries can't read.
    private struct Unreadable: Job {
        static let name = SummariseHour.name
        var hours = "many"
    }

    /// Ten hours with a summary each.
    private func run(_ body: @Sendable @escaping (any TestClientProtocol) async throws -> Void) async throws {
        let fixture = Fixture()
        try await fixture.runCollector { client, collector in
            let summaries = try #require(collector.summaries)
            for number in UInt32(100)..<110 {
                var count = HourCount()
                for _ in 0..<number { count.add(Array(#"{"type":"a"}"#.utf8)) }
                try await summaries.records.save(count.summary(of: Hour(number: number), counted: 1_000))
            }
            try await body(client)
        }
    }

    private static func events(_ answer: TestResponse) -> [Int] {
        (answer.json["summaries"] as? [[String: Any]] ?? []).compactMap { $0["events"] as? Int }
    }

    @Test func summariesAreListedFromTheNewest() async throws {
        try await run { client in
            let page = try await client.read("/summaries?limit=2")
            #expect(page.status == .ok)
            #expect(Self.events(page) == [109, 108])
            let first = try #require((page.json["summaries"] as? [[String: Any]])?.first)
            #expect(first["hour"] as? String == "1970-01-05T13:00:00.000Z")
            #expect(first["counted"] as? String == "1970-01-01T00:00:01.000Z")
            #expect(first["bytes"] as? Int == 109 * 12)
            #expect(first["others"] as? Int == 0)
            let types = first["types"] as? [[String: Any]]
            #expect(types?.first?["type"] as? String == "a" && types?.first?["events"] as? Int == 109)
        }
    }

    @Test(arguments: [1, 3, 5, 10, 1_000], ["", "from=1970-01-05T05:30:00Z&to=1970-01-05T11:00:00Z"])
    func pagesGoThroughAllSummaries(_ limit: Int, _ filter: String) async throws {
        try await run { client in
            var (found, cursor): ([Int], String?) = ([], "")
            while let here = cursor {
                let parameter = here.isEmpty ? "" : "&cursor=\(here)"
                let page = try await client.read("/summaries?\(filter)&limit=\(limit)\(parameter)")
                #expect(page.status == .ok, "\(page.text)")
                #expect(page.text.contains("\"next\":"))
                found += Self.events(page)
                cursor = page.json["next"] as? String
            }
            // Hours that begin in the span.
            #expect(found == (filter.isEmpty ? Array(100..<110) : Array(102..<107)).reversed())
        }
    }

    @Test(arguments: [
        "limit=0", "limit=1001", "limit=x", "from=later", "to=-1", "cursor=", "cursor=x y", "cursor=AAAAAAAAAAAAAAAA",
    ])
    func badParametersAreRefused(_ parameters: String) async throws {
        try await run { client in
            let answer = try await client.read("/summaries?\(parameters)")
            #expect(answer.status == .badRequest, "\(answer.text)")
            #expect(answer.headers[.contentType] == "application/problem+json")
        }
    }

    @Test func aCursorOfAnotherListingIsRefused() async throws {
        try await run { client in
            let cursor = try #require(try await client.read("/summaries?limit=2").json["next"] as? String)
            #expect(try await client.read("/summaries?from=0&cursor=\(cursor)").code == "invalid-cursor")
        }
    }

    @Test func aTokenIsNeeded() async throws {
        try await run { client in
            for (uri, method) in [("/summaries", HTTPRequest.Method.get), ("/jobs", .get), ("/jobs/retry", .post)] {
                let answer = try await client.executeRequest(uri: uri, method: method, headers: [:], body: nil)
                #expect(answer.status == .unauthorized)
            }
            let read: HTTPFields = [.authorization: "Bearer \(Fixture.read)"]
            let answer = try await client.executeRequest(uri: "/jobs/retry", method: .post, headers: read, body: nil)
            #expect(answer.status == .unauthorized)
        }
    }

    @Test func aSummaryThatFailsIsADeadLetterThatCanBeSeenAndRetried() async throws {
        let fixture = Fixture()
        try await fixture.runCollector { client, collector in
            let queue = try #require(collector.summaries).queue
            _ = try await client.post(#"{"type":"a"}"#)
            try await queue.enqueue(Unreadable(), .unique("an hour"))
            #expect(try await client.read("/jobs").json["due"] as? Int == 1)
            try await fixture.settle(collector)
            let jobs = try await client.read("/jobs")
            #expect(jobs.json["dead"] as? Int == 1 && jobs.json["due"] as? Int == 0)
            #expect(jobs.json["scheduled"] as? Int == 0 && jobs.json["running"] as? Int == 0)
            let letter = try #require((jobs.json["deadLetters"] as? [[String: Any]])?.first)
            #expect(letter["key"] as? String == "an hour" && letter["kind"] as? String == "summarise-hour")
            #expect((letter["failure"] as? String)?.isEmpty == false)
            let metrics = try await client.read("/metrics").text
            for line in [
                #"swift_jobs_total{name="summarise-hour",status="succeeded"} 1"#,
                #"swift_jobs_meter{status="dead"} 1"#, #"swift_jobs_meter{status="queued"} 0"#,
                #"swift_jobs_duration_seconds_count{name="summarise-hour",status="succeeded"} 1"#,
            ] { #expect(metrics.contains(line + "\n"), "\(line) isn't in \(metrics)") }
            let write: HTTPFields = [.authorization: "Bearer \(Fixture.write)"]
            let retried = try await client.executeRequest(
                uri: "/jobs/retry", method: .post, headers: write, body: nil)
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
        #expect(!collector.services.contains { $0 is JobWorkers || $0 is SummaryScheduler })
        try await collector.application().test(.router) { client in
            #expect(try await client.post(#"{"type":"a"}"#).status == .created)
            for uri in ["/summaries", "/jobs"] {
                let answer = try await client.read(uri)
                #expect(answer.status == .notImplemented)
                #expect(answer.code == "no-summaries")
            }
            #expect(try await client.read("/metrics").status == .ok)
        }
        #expect(try await store?.fetchCount(in: EventKeys.marks) ?? 0 == 0)
        try await store?.end()
    }
}
