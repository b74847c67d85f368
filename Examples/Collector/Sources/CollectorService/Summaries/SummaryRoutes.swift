import Foundation
import Heartwood
import HeartwoodRepository
import Hummingbird
import HummingbirdCore

/// `GET /summaries`: the summaries of hours, the newest first.
struct SummaryRoutes {
    static let maximumLimit = 1_000

    let summaries: Summaries?

    func add(to group: RouterGroup<CollectorContext>) {
        group.get("/summaries") { request, _ in try await list(request) }
    }

    private func list(_ request: Request) async throws -> Response {
        guard let summaries else { throw Problem.noSummaries }
        let uri = request.uri
        var filter = Filter<HourSummary>.all
        if let from = try uri.time("from") { filter = filter && \.id >= Hour(beginningFrom: from).number }
        if let to = try uri.time("to") { filter = filter && \.id < Hour(beginningFrom: to).number }
        let query = Query(where: filter, sort: [.descending(\.id)])
        let limit = try uri.limit(maximum: Self.maximumLimit) ?? 100
        let page = try await page(summaries.records, query, limit, try cursor(uri))
        let answer = Answer(summaries: page.models.map(Answer.Summary.init), next: page.next?.description)
        return .json(Array(try JSONEncoder().encode(answer)))
    }

    private func page(
        _ records: Repository<HourSummary>, _ query: Query<HourSummary>, _ limit: Int, _ cursor: QueryCursor?
    ) async throws -> QueryPage<HourSummary> {
        do throws(StoreError) {
            return try await records.page(query, limit: limit, after: cursor)
        } catch {
            throw error.code == .invalidArgument ? Self.invalidCursor : error
        }
    }

    private func cursor(_ uri: URI) throws -> QueryCursor? {
        guard let text = uri.queryParameters["cursor"] else { return nil }
        guard let cursor = QueryCursor(String(text)) else { throw Self.invalidCursor }
        return cursor
    }

    private static let invalidCursor = Problem.badRequest(
        "invalid-cursor", "a cursor is used with the same from and to as the page it is from")
}

extension Hour {
    /// The first hour that begins at a time or later.
    fileprivate init(beginningFrom time: UInt64) { self.init(of: time + Self.milliseconds - 1) }
}

/// The body of an answer.
private struct Answer: Encodable {
    struct Summary: Encodable {
        var hour: String
        var events: Int
        var bytes: Int
        var types: [HourSummary.TypeCount]
        var others: Int
        var counted: String

        init(_ summary: HourSummary) {
            (hour, counted) = ("\(summary.hour)", Timestamps.text(summary.counted))
            (events, bytes) = (summary.events, summary.bytes)
            (types, others) = (summary.types, summary.others)
        }
    }

    var summaries: [Summary]
    /// Encoded as null at the end.
    var next: String?

    private enum Name: String, CodingKey { case summaries, next }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        try container.encode(summaries, forKey: .summaries)
        try container.encode(next, forKey: .next)
    }
}
