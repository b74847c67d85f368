import Hummingbird

/// Lets requests through that may read: with a token, or with a session.
struct AccessMiddleware: RouterMiddleware {
    typealias Context = CollectorContext

    let tokens: Tokens
    let sessions: Sessions

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        if request.headers[.authorization] == nil, let session = try await sessions.session(request) {
            context.client = try tokens.authorize(session)
        } else {
            context.client = try tokens.authorize(request.headers, .read)
        }
        return try await next(request, context)
    }
}
