import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// `POST /login` and `/logout`, and `GET /session`, for the page.
struct SessionRoutes {
    let sessions: Sessions
    let limiter: LoginLimiter
    let tokens: Tokens
    let body: BodyReader

    private struct Login: Decodable { var token: String }

    func add(to group: RouterGroup<CollectorContext>) {
        group.post("/login") { request, context in try await login(request, context) }
        group.post("/logout") { request, _ in Self.noContent(try await sessions.close(request)) }
        group.get("/session") { request, _ in
            let isOpen = try await sessions.session(request).flatMap(tokens.client) != nil
            return Response.json(Array(#"{"isOpen":\#(isOpen)}"#.utf8))
        }
    }

    private func login(_ request: Request, _ context: CollectorContext) async throws -> Response {
        try await limiter.take(context.address)
        let body = try await body.read(request, in: Reservation(of: body.buffers.slots))
        guard let login = try? JSONDecoder().decode(Login.self, from: Data(body.readableBytesView)) else {
            throw Problem.badRequest("invalid-login", #"send {"token":"TOKEN"}"#)
        }
        guard let (client, digest) = tokens.client(login.token, .read) else { throw Tokens.unauthorized(.read) }
        return Self.noContent(try await sessions.open(client, digest))
    }

    private static func noContent(_ cookie: Cookie) -> Response {
        Response(status: .noContent, headers: [.setCookie: cookie.description, .cacheControl: "no-store"])
    }
}
