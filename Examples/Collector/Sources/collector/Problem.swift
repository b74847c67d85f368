import Foundation
import HTTPTypes
import Heartwood
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

/// An error as clients see it: `application/problem+json` (RFC 9457).
struct Problem: HTTPResponseError {
    var status: HTTPResponse.Status
    /// Names the kind of problem, for programs.
    var code: String
    /// What happened and what to do, for people.
    var detail: String
    var headers: HTTPFields = [:]
    /// Where the events of a body are wrong, and why.
    var fault: Fault?

    struct Fault {
        /// The event in an array, from 0, or the line of a body of lines, from 1.
        var index: Int?
        var line: Int?
        /// The byte.
        var offset: Int
        var reason: String
    }

    init(_ status: HTTPResponse.Status, _ code: String, _ detail: String, retryAfter seconds: Int? = nil) {
        (self.status, self.code, self.detail) = (status, code, detail)
        headers[.retryAfter] = seconds.map { "\($0)" }
    }

    /// The same, after which the connection is closed.
    var closing: Problem {
        var copy = self
        copy.headers[.connection] = "close"
        return copy
    }

    var body: ByteBuffer {
        struct Document: Encodable {
            var type = "about:blank"
            var title, code, detail: String
            var status: Int
            var index, line, offset: Int?
            var reason: String?
        }
        let document = Document(
            title: status.reasonPhrase, code: code, detail: detail, status: status.code, index: fault?.index,
            line: fault?.line, offset: fault?.offset, reason: fault?.reason)
        // Numbers and strings can always be encoded.
        return (try? JSONEncoder().encode(document)).map { ByteBuffer(bytes: $0) } ?? ByteBuffer()
    }

    func response(from request: Request, context: some RequestContext) -> Response { response }

    var response: Response {
        var headers = headers
        headers[.contentType] = "application/problem+json"
        return Response(status: status, headers: headers, body: .init(byteBuffer: body))
    }
}

extension Problem {
    static func badRequest(_ code: String, _ detail: String) -> Problem { Problem(.badRequest, code, detail) }

    static let noStore = Problem(
        .notImplemented, "no-store", "the service runs without a store (store = none), which is for measurements only")

    /// Any error of a request.
    init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as StoreError: self.init(store: error)
        case let error as HTTPParserError:
            let detail = "the request can't be read, \(error): nothing was written"
            self = .badRequest("unreadable-request", detail).closing
        case let error as HTTPError:
            self.init(error.status, "http-\(error.status.code)", error.body ?? error.status.reasonPhrase)
            headers = error.headers
        case let error as any HTTPResponseError:
            self.init(error.status, "http-\(error.status.code)", error.status.reasonPhrase)
        case is CancellationError: self.init(.serviceUnavailable, "cancelled", "the service is stopping")
        default: self.init(.internalServerError, "internal", "the service failed; its log has the reason")
        }
    }

    private init(store error: StoreError) {
        switch error.code {
        case .outOfSpace:
            self.init(
                .serviceUnavailable, "out-of-space", "the store has no space: nothing was written; try again later",
                retryAfter: 30)
        case .inputOutput:
            self.init(
                .serviceUnavailable, "store-unavailable",
                "the store can't be read or written at this time: nothing was written; try again later",
                retryAfter: 10)
        case .failed, .closed:
            self.init(
                .serviceUnavailable, "store-\(error.code)",
                "the store accepts no writes: nothing was written; the service has to be restarted")
        case .outcomeUnknown:
            self.init(
                .internalServerError, "outcome-unknown",
                "the write may have happened or not: repeat the request with the same Idempotency-Key")
        case .cancelled:
            self.init(.serviceUnavailable, "cancelled", "the service is stopping: nothing was written")
        default:
            self.init(.internalServerError, "store-\(error.code)", "the store failed; its log has the reason")
        }
    }
}

/// Answers every error as a problem, and logs those that the operator has to know. Sets the headers of all answers.
struct ProblemMiddleware: RouterMiddleware {
    /// Whether the service speaks TLS. Then browsers are told to use nothing else for a year.
    let isSecure: Bool
    let memory: Slots
    /// Requests with a wrong token, by address.
    let refusals: TokenBucket.Table

    func handle(
        _ request: Request, context: CollectorContext, next: (Request, CollectorContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
            try response.reserve(memory)
        } catch {
            response = problem(error, context).response
        }
        response.headers[.xContentTypeOptions] = "nosniff"
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        if isSecure { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        return response
    }

    private func problem(_ error: any Error, _ context: CollectorContext) -> Problem {
        let problem = Problem(error)
        if problem.status == .unauthorized, !refusals.take(context.address) {
            // Guessing another token needs another connection.
            let detail = "too many requests of this address had a wrong token: wait"
            return Problem(.tooManyRequests, "too-many-refusals", detail, retryAfter: 1).closing
        }
        if problem.status.code >= 500 {
            // The store itself logs once that it is full or has failed. A line for each request would fill the disk.
            let code = (error as? StoreError)?.code
            let isKnown = code == .outOfSpace || code == .failed || code == .closed
            context.logger.log(
                level: isKnown ? .debug : .error, "request failed",
                metadata: ["error": "\(error)", "code": "\(problem.code)"])
        }
        return problem
    }
}
