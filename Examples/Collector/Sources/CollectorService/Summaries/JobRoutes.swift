import Foundation
import HTTPTypes
import HeartwoodJobs
import HeartwoodRepository
import Hummingbird

/// `GET /jobs`: what the queue has. `POST /jobs/retry`: lets dead letters run again.
struct JobRoutes {
    /// The most dead letters of an answer.
    static let shownLetters = 100

    let summaries: Summaries?
    let tokens: Tokens

    func add(readers: RouterGroup<CollectorContext>, open: RouterGroup<CollectorContext>) {
        readers.get("/jobs") { _, _ in try await list() }
        open.post("/jobs/retry") { request, _ in
            _ = try tokens.authorize(request.headers, .write)
            return try await retry()
        }
    }

    private func queue() throws -> JobQueue {
        guard let summaries else { throw Problem.noSummaries }
        return summaries.queue
    }

    private func list() async throws -> Response {
        let queue = try queue()
        let counts = try await queue.counts()
        let letters = try await queue.jobs(.dead, limit: Self.shownLetters).models.map(Answer.Letter.init)
        let answer = Answer(
            due: counts.due, scheduled: counts.scheduled, running: counts.running, dead: counts.dead,
            deadLetters: letters)
        return .json(Array(try JSONEncoder().encode(answer)))
    }

    private func retry() async throws -> Response {
        let count = try await queue().retryDeadLetters()
        return .json(Array(#"{"retried":\#(count)}"#.utf8))
    }
}

/// The body of an answer.
private struct Answer: Encodable {
    struct Letter: Encodable {
        var id: String
        var kind: String
        var key: String?
        var failures: Int
        var failure: String?
        var failed: String

        init(_ job: JobRecord) {
            (id, kind, key) = ("\(job.id)", job.kind, job.uniqueKey)
            (failures, failure, failed) = (job.failures, job.failure, Timestamps.text(job.time.milliseconds))
        }
    }

    var due: Int
    var scheduled: Int
    var running: Int
    var dead: Int
    var deadLetters: [Letter]
}
