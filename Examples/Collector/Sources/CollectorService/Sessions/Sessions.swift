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
    }

    let persist: any PersistDriver
    let lifetime: Duration
    let isSecure: Bool

    /// Opens a session, and makes the cookie for it.
    func open(_ client: Client) async throws -> Cookie {
        let secret = HexDigits.text((0..<32).map { _ in UInt8.random(in: 0...255) })
        try await persist.create(key: Self.key(secret), value: Session(client: client.name), expires: lifetime)
        return cookie(secret, maximumAge: Int(lifetime.components.seconds))
    }

    /// The client of a request's session; nil without one.
    func client(_ request: Request) async throws -> Client? {
        guard let secret = request.cookies[Self.cookie]?.value, secret.utf8.count == 64 else { return nil }
        return try await persist.get(key: Self.key(secret), as: Session.self).map {
            Client(name: $0.client, scope: .read)
        }
    }

    /// Ends the session of a request, and makes the cookie that removes the cookie.
    func close(_ request: Request) async throws -> Cookie {
        if let secret = request.cookies[Self.cookie]?.value { try await persist.remove(key: Self.key(secret)) }
        return cookie("", maximumAge: 0)
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
