import HTTPTypes
import Heartwood
import Hummingbird
import Logging
import NIOHTTP1

/// Answers every error as a problem, and logs those that the operator has to know. Sets the headers of all answers.
struct ProblemMiddleware: RouterMiddleware {
    typealias Context = CollectorContext

    /// Whether the service speaks TLS. Then browsers are told to use nothing else for a year.
    let isSecure: Bool
    let buffers: Buffers
    let refusals: RefusalLimiter

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = await answer(request, context, next)
        response.headers[.xContentTypeOptions] = "nosniff"
        if isSecure { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        return response
    }

    private func answer(
        _ request: Request, _ context: Context, _ next: (Request, Context) async throws -> Response
    ) async -> Response {
        do {
            return try buffers.counted(try await next(request, context))
        } catch {
            var problem = Self.problem(error)
            if problem.status == .unauthorized, !refusals.take(context.address) { problem = RefusalLimiter.problem }
            if problem.status.code >= 500 {
                context.logger.log(
                    level: Self.level(error), "request failed",
                    metadata: ["error": "\(error)", "code": "\(problem.code)"])
            }
            return problem.response(from: request, context: context)
        }
    }

    /// The store logs once that it is full or has failed; a line for each request that it refuses would fill the disk.
    private static func level(_ error: any Error) -> Logger.Level {
        switch (error as? StoreError)?.code {
        case .outOfSpace, .failed, .closed: .debug
        default: .error
        }
    }

    static func problem(_ error: any Error) -> Problem {
        switch error {
        case let problem as Problem: problem
        case let error as StoreError: Problem(error)
        case let error as EventBatch.Invalid: Problem(error)
        case let error as any HTTPResponseError: http(error)
        case let error as HTTPParserError: .unreadable(error)
        case is CancellationError: Problem(.serviceUnavailable, "cancelled", "the service is stopping")
        default: Problem(.internalServerError, "internal", "the service failed; its log has the reason")
        }
    }

    private static func http(_ error: any HTTPResponseError) -> Problem {
        let text = (error as? HTTPError)?.body
        var problem = Problem(error.status, "http-\(error.status.code)", text ?? error.status.reasonPhrase)
        if let headers = (error as? HTTPError)?.headers { problem.headers = headers }
        return problem
    }
}
