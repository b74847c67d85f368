import Heartwood
import HeartwoodJobs
import HeartwoodRepository
import Hummingbird
import HummingbirdCore

/// `GET /summaries`, `GET /jobs` and `POST /jobs/retry`.
struct SummaryRoutes {
    let summaries: Summaries?

    struct Page: ResponseEncodable {
        struct Summary: Encodable {
            var hour: String
            var events, bytes, others: Int
            var types: [HourSummary.TypeCount]
            var counted: String
        }

        var summaries: [Summary]
        /// Encoded as null at the end.
        var next: String?

        private enum Key: CodingKey { case summaries, next }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(summaries, forKey: .summaries)
            try container.encode(next, forKey: .next)
        }
    }

    struct Jobs: ResponseEncodable {
        struct Letter: Encodable {
            var id, kind: String
            var key: String?
            var failures: Int
            var failure: String?
            var failed: String
        }

        var due, scheduled, running, dead: Int
        var deadLetters: [Letter]
    }

    private func opened() throws -> Summaries {
        guard let summaries else {
            throw Problem(
                .notImplemented, "no-summaries",
                "the service makes no summaries: they need a store, summaries.days, and events.retention of 4 hours or "
                    + "more")
        }
        return summaries
    }

    /// From the newest.
    func list(_ uri: URI) async throws -> Page {
        let records = try opened().records
        // The hours that begin in the span.
        func hour(_ name: Substring) throws -> UInt32? { try uri.time(name).map { Hour(of: $0 + 3_599_999).number } }
        var filter = Filter<HourSummary>.all
        if let from = try hour("from") { filter = filter && \.id >= from }
        if let to = try hour("to") { filter = filter && \.id < to }
        let query = Query(where: filter, sort: [.descending(\.id)])
        let (limit, text) = (try uri.limit, uri.queryParameters["cursor"])
        let cursor = text.flatMap { QueryCursor(String($0)) }
        guard text == nil || cursor != nil else { throw Problem.invalidCursor("from and to") }
        do throws(StoreError) {
            let page = try await records.page(query, limit: limit, after: cursor)
            return Page(
                summaries: page.models.map {
                    Page.Summary(
                        hour: "\(Hour(number: $0.id))", events: $0.events, bytes: $0.bytes, others: $0.others,
                        types: $0.types, counted: Timestamps.text($0.counted))
                },
                next: page.next?.description)
        } catch {
            throw error.code == .invalidArgument ? Problem.invalidCursor("from and to") : error
        }
    }

    func jobs() async throws -> Jobs {
        let queue = try opened().queue
        let counts = try await queue.counts()
        let letters = try await queue.jobs(.dead, limit: 100).models.map {
            Jobs.Letter(
                id: "\($0.id)", kind: $0.kind, key: $0.uniqueKey, failures: $0.failures, failure: $0.failure,
                failed: Timestamps.text($0.time.milliseconds))
        }
        return Jobs(
            due: counts.due, scheduled: counts.scheduled, running: counts.running, dead: counts.dead,
            deadLetters: letters)
    }

    func retry() async throws -> [String: Int] { ["retried": try await opened().queue.retryDeadLetters()] }
}
