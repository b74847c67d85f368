import Crypto
import Foundation
import HTTPTypes
import Heartwood
import Hummingbird

/// Who may do what: a name, which the operator chose, and a scope.
struct Client: Hashable, Sendable {
    /// What a token allows.
    enum Scope: String, Sendable { case write, read }

    /// Names the client in logs and limits. Its idempotency keys are its own.
    var name: String
    var scope: Scope
}

/// Decides who may do what: by the bearer tokens of the settings, and by the sessions of the page.
///
/// Only digests of tokens are kept. All of them are compared with that of the given token, each in constant time, so
/// the time of an answer says nothing about the tokens.
///
/// Sessions are kept by a persist driver: they survive a restart. The cookie has a random number. The store has only
/// its digest, so a copy of the store opens no session.
struct Access: Sendable {
    static let cookie = "collector_session"

    private struct Token: Sendable {
        var client: Client
        var digest: SHA256.Digest
        /// Requests a second.
        var bucket: TokenBucket
    }

    private struct Session: Codable {
        var client: String
        /// Shows, with the session's secret, which token it was opened with; tells nothing about the token.
        var proof: String?
    }

    private let settings: Settings
    private let tokens: [Token]
    private let persist: any PersistDriver
    private let body: BodyReader
    private let clock: any StoreClock

    init(_ settings: Settings, _ persist: any PersistDriver, memory: Slots, clock: any StoreClock) {
        (self.settings, self.persist, self.clock) = (settings, persist, clock)
        body = BodyReader(maximumBytes: 4_096, timeout: settings.bodyTimeout, memory: memory)
        tokens = settings.tokens.map { client, secret in
            Token(
                client: client, digest: SHA256.hash(data: Array(secret.utf8)),
                bucket: TokenBucket(rate: settings.requestsPerSecond))
        }
    }

    // MARK: Tokens

    /// Who sent a request, by its header `Authorization`.
    ///
    /// - Throws: A problem: 401 without a token of the scope, 429 over the rate.
    func authorize(_ headers: HTTPFields, _ scope: Client.Scope) throws -> Client {
        let header = headers[.authorization] ?? ""
        guard header.utf8.count > 7, header.prefix(7).lowercased() == "bearer " else {
            throw Problem.unauthorized(scope)
        }
        return try take(token(String(header.dropFirst(7)), scope), scope)
    }

    private func token(_ secret: String, _ scope: Client.Scope) -> Token? {
        let digest = SHA256.hash(data: Array(secret.utf8))
        var found: Token?
        // The walk doesn't end at a match.
        for token in tokens where token.client.scope == scope && token.digest == digest { found = token }
        return found
    }

    private func take(_ token: Token?, _ scope: Client.Scope) throws -> Client {
        guard let token else { throw Problem.unauthorized(scope) }
        guard token.bucket.take() else {
            let detail = "the client '\(token.client.name)' sends too many requests"
            throw Problem(.tooManyRequests, "too-many-requests", detail, retryAfter: 1)
        }
        return token.client
    }

    // MARK: Sessions

    /// Who sent a request to read, by its token or its session.
    func authorizeReader(_ request: Request) async throws {
        if request.headers[.authorization] == nil, let session = try await session(request) {
            _ = try take(session.token, .read)
        } else {
            _ = try authorize(request.headers, .read)
        }
    }

    /// The key of a request's session, and the token that it was opened with, which is nil if no client has it any
    /// more; nil without a session.
    private func session(_ request: Request) async throws -> (key: String, token: Token?)? {
        guard let secret = request.cookies[Self.cookie]?.value, secret.utf8.count == 64,
            let session = try await persist.get(key: Self.key(secret), as: Session.self)
        else { return nil }
        let client = Client(name: session.client, scope: .read)
        return (Self.key(secret), tokens.first { $0.client == client && session.proof == Self.proof(secret, $0) })
    }

    /// `GET /session`.
    func isOpen(_ request: Request) async throws -> Bool { try await session(request)?.token != nil }

    /// `POST /login`: opens a session, and sets its cookie.
    func login(_ request: Request, _ context: CollectorContext) async throws -> Response {
        try await limitLogins(of: context.address)
        let bytes = try await body.read(request, in: Reservation(of: body.memory))
        guard
            let secret = try? JSONDecoder().decode([String: String].self, from: Data(bytes.readableBytesView))["token"]
        else { throw Problem.badRequest("invalid-login", #"send {"token":"TOKEN"}"#) }
        guard let token = token(secret, .read) else { throw Problem.unauthorized(.read) }
        let session = hex((0..<32).map { _ in UInt8.random(in: 0...255) })
        let record = Session(client: token.client.name, proof: Self.proof(session, token))
        try await persist.create(key: Self.key(session), value: record, expires: settings.sessionLifetime)
        return setting(session, maximumAge: Int(settings.sessionLifetime.components.seconds))
    }

    /// `POST /logout`: ends the session, and removes the cookie. Without a session nothing is written.
    func logout(_ request: Request) async throws -> Response {
        if let session = try await session(request) { try await persist.remove(key: session.key) }
        return setting("", maximumAge: 0)
    }

    /// A window of a minute has some places for each address, and an attempt takes one. They are on the persist driver,
    /// so that a restart gives an attacker no more attempts. That costs a durable write for each attempt: right for
    /// logins, too dear for events, which ``TokenBucket`` limits in memory.
    private func limitLogins(of address: String) async throws {
        let seconds = clock.now().milliseconds / 1_000
        for place in 0..<settings.loginsPerMinute {
            let key = "login/\(address)/\(seconds / 60)/\(place)"
            // Creating a key is atomic, so two attempts never take one place.
            do { return try await persist.create(key: key, value: true, expires: .seconds(120)) } catch let error
                as PersistError where error == .duplicate
            {}
        }
        let detail = "there were too many attempts to log in: wait a minute"
        throw Problem(.tooManyRequests, "too-many-logins", detail, retryAfter: Int(60 - seconds % 60))
    }

    private func setting(_ value: String, maximumAge: Int) -> Response {
        let cookie = Cookie(
            name: Self.cookie, value: value, maxAge: maximumAge, path: "/", secure: settings.secureCookies,
            httpOnly: true, sameSite: .strict)
        return Response(status: .noContent, headers: [.setCookie: cookie.description])
    }

    private static func key(_ secret: String) -> String {
        "session/" + hex(Array(SHA256.hash(data: Array(secret.utf8))))
    }

    private static func proof(_ secret: String, _ token: Token) -> String {
        hex(Array(SHA256.hash(data: Array(secret.utf8) + token.digest)))
    }
}

/// Lets requests through that may read.
struct AccessMiddleware: RouterMiddleware {
    let access: Access

    func handle(
        _ request: Request, context: CollectorContext, next: (Request, CollectorContext) async throws -> Response
    ) async throws -> Response {
        try await access.authorizeReader(request)
        return try await next(request, context)
    }
}

extension Problem {
    fileprivate static func unauthorized(_ scope: Client.Scope) -> Problem {
        var problem = Problem(
            .unauthorized, "unauthorized", "a token for '\(scope)' is needed: Authorization: Bearer TOKEN")
        problem.headers[.wwwAuthenticate] = #"Bearer realm="collector""#
        return problem
    }
}
