import Crypto
import HTTPTypes
import Hummingbird

/// Sessions of the page, kept by a persist driver: they survive a restart.
///
/// The cookie has a random number. The store has only its digest, so a copy of the store opens no session.
struct Sessions: Sendable {
    static let cookie = "collector_session"

    /// What is known of a session.
    struct Session: Codable, Sendable {
        /// The client whose token it was opened with.
        var client: String
        /// Shows, with the session's secret, which token that was; tells nothing about the token. Nil in a session of
        /// an older service, which is over.
        var proof: String?
    }

    /// A session's secret, and its record.
    struct Open: Sendable {
        var secret: String
        var session: Session

        /// Whether it was opened with the token of this digest.
        func isOf(_ token: SHA256.Digest) -> Bool { session.proof == Sessions.proof(secret, token) }
    }

    let persist: any PersistDriver
    let lifetime: Duration
    let isSecure: Bool

    /// Opens a session, and makes the cookie for it.
    ///
    /// - Parameter token: The digest of the token. The session ends when no client has this token any more.
    func open(_ client: Client, _ token: SHA256.Digest) async throws -> Cookie {
        let secret = HexDigits.text((0..<32).map { _ in UInt8.random(in: 0...255) })
        let session = Session(client: client.name, proof: Self.proof(secret, token))
        try await persist.create(key: Self.key(secret), value: session, expires: lifetime)
        return cookie(secret, maximumAge: Int(lifetime.components.seconds))
    }

    /// The session of a request; nil without one.
    func session(_ request: Request) async throws -> Open? {
        guard let secret = request.cookies[Self.cookie]?.value, secret.utf8.count == 64 else { return nil }
        return try await persist.get(key: Self.key(secret), as: Session.self).map { Open(secret: secret, session: $0) }
    }

    /// Ends the session of a request, and makes the cookie that removes the cookie. Without a session nothing is
    /// written.
    func close(_ request: Request) async throws -> Cookie {
        if let open = try await session(request) { try await persist.remove(key: Self.key(open.secret)) }
        return cookie("", maximumAge: 0)
    }

    private static func proof(_ secret: String, _ token: SHA256.Digest) -> String {
        HexDigits.text(SHA256.hash(data: Array(secret.utf8) + token))
    }

    private func cookie(_ value: String, maximumAge: Int) -> Cookie {
        Cookie(
            name: Self.cookie, value: value, maxAge: maximumAge, path: "/", secure: isSecure, httpOnly: true,
            sameSite: .strict)
    }

    private static func key(_ secret: String) -> String {
        "session/" + HexDigits.text(SHA256.hash(data: Array(secret.utf8)))
    }
}
