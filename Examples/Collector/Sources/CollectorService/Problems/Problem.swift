import HTTPTypes
import Heartwood
import Hummingbird
import NIOHTTP1

/// An error as clients see it: `application/problem+json` (RFC 9457).
struct Problem: HTTPResponseError {
    /// A member beyond those of the RFC.
    enum Member {
        case text(String)
        case number(Int)
    }

    static let contentType = "application/problem+json"

    var status: HTTPResponse.Status
    /// Names the kind of problem, for programs.
    var code: String
    /// What happened and what to do, for people.
    var detail: String
    var members: [(name: String, value: Member)] = []
    var headers: HTTPFields = [:]

    init(_ status: HTTPResponse.Status, _ code: String, _ detail: String) {
        (self.status, self.code, self.detail) = (status, code, detail)
    }

    /// The same, saying after how many seconds the client may try again.
    func retry(after seconds: Int) -> Problem {
        var copy = self
        copy.headers[.retryAfter] = "\(seconds)"
        return copy
    }

    /// The JSON object.
    var body: [UInt8] {
        var json = Array(#"{"type":"about:blank","title":"#.utf8)
        JSONText.append(status.reasonPhrase, to: &json)
        json.append(contentsOf: #","status":\#(status.code),"code":"#.utf8)
        JSONText.append(code, to: &json)
        json.append(contentsOf: #","detail":"#.utf8)
        JSONText.append(detail, to: &json)
        for (name, value) in members {
            json.append(UInt8(ascii: ","))
            JSONText.append(name, to: &json)
            json.append(UInt8(ascii: ":"))
            switch value {
            case .text(let text): JSONText.append(text, to: &json)
            case .number(let number): json.append(contentsOf: "\(number)".utf8)
            }
        }
        json.append(UInt8(ascii: "}"))
        return json
    }

    func response(from request: Request, context: some RequestContext) -> Response {
        var headers = headers
        headers[.contentType] = Self.contentType
        headers[.cacheControl] = "no-store"
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}

extension Problem {
    static func badRequest(_ code: String, _ detail: String) -> Problem { Problem(.badRequest, code, detail) }

    static func tooLarge(_ limit: Int) -> Problem {
        var problem = Problem(
            .contentTooLarge, "body-too-large", "the body has more than \(limit) bytes: send smaller batches")
        problem.headers[.connection] = "close"
        return problem
    }

    static var tooSlow: Problem {
        var problem = Problem(.requestTimeout, "body-too-slow", "the body took too long to arrive: send it again")
        problem.headers[.connection] = "close"
        return problem
    }

    /// A request that isn't HTTP, or whose client has left and doesn't get this answer.
    static func unreadable(_ error: HTTPParserError) -> Problem {
        var problem = badRequest("unreadable-request", "the request can't be read, \(error): nothing was written")
        problem.headers[.connection] = "close"
        return problem
    }

    /// A request that a cluster can't write in one commit.
    static func tooMany(_ limits: KeyValueLimits) -> Problem {
        Problem(
            .contentTooLarge, "too-large-for-cluster",
            "the events of a request are one commit, and the cluster allows \(limits.operations) records and "
                + "\(limits.batchBytes) bytes in it; an event has two records, or one without events.type-index: "
                + "nothing was written; send fewer events in a request")
    }

    /// What was written has expired before it was acknowledged.
    static var clockWasSet: Problem {
        Problem(
            .serviceUnavailable, "clock-was-set",
            "the clock of the service was set forward during this request, and the events have expired: send it again"
        ).retry(after: 1)
    }

    static let noStore = Problem(
        .notImplemented, "no-store", "the service runs without a store (store = none), which is for measurements only")

    static let noSummaries = Problem(
        .notImplemented, "no-summaries",
        "the service makes no summaries: they need a store, summaries.days, and events.retention of 4 hours or more")

    /// A body that isn't a batch of events.
    init(_ invalid: EventBatch.Invalid) {
        var place = ""
        var members: [(String, Member)] = []
        if let event = invalid.event {
            switch invalid.format {
            case .json: (place, members) = ("event \(event): ", [("index", .number(event))])
            case .lines: (place, members) = ("line \(event): ", [("line", .number(event))])
            }
        }
        self = .badRequest("invalid-events", "\(place)\(invalid.error.reason), at byte \(invalid.error.offset)")
        self.members =
            members + [
                ("offset", .number(invalid.error.offset)), ("reason", .text("\(invalid.error.reason)")),
            ]
    }

    /// An error of the store.
    init(_ error: StoreError) {
        switch error.code {
        case .outOfSpace:
            self = Problem(
                .serviceUnavailable, "out-of-space", "the store has no space: nothing was written; try again later"
            ).retry(after: 30)
        case .inputOutput:
            self = Problem(
                .serviceUnavailable, "store-unavailable",
                "the store can't be read or written at this time: nothing was written; try again later"
            ).retry(after: 10)
        case .failed, .closed:
            self = Problem(
                .serviceUnavailable, "store-\(error.code)",
                "the store accepts no writes: nothing was written; the service has to be restarted")
        case .outcomeUnknown:
            self = Problem(
                .internalServerError, "outcome-unknown",
                "the write may have happened or not: repeat the request with the same Idempotency-Key")
        case .cancelled:
            self = Problem(.serviceUnavailable, "cancelled", "the service is stopping: nothing was written")
        default:
            self = Problem(.internalServerError, "store-\(error.code)", "the store failed; its log has the reason")
        }
    }
}
