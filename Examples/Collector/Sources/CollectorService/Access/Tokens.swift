import Crypto
import HTTPTypes
import Hummingbird

/// The bearer tokens that the service accepts.
///
/// Only digests are kept. All of them are compared with that of the given token, each in constant time, so the time of
/// an answer says nothing about the tokens.
struct Tokens: Sendable {
    private struct Entry {
        var client: Client
        var digest: SHA256.Digest
        var bucket: TokenBucket?
    }

    private let entries: [Entry]

    /// - Parameters:
    ///   - tokens: The clients and their secrets.
    ///   - rate: How many requests a second each client may send; nil for no limit.
    init(_ tokens: [(client: Client, secret: String)], rate: Int? = nil) {
        entries = tokens.map { client, secret in
            Entry(client: client, digest: Self.digest(secret), bucket: rate.map { TokenBucket(rate: $0) })
        }
    }

    /// Who has this secret, for one of the scopes, and its digest.
    func client(_ secret: String, _ scope: Client.Scope) -> (Client, SHA256.Digest)? {
        entry(secret, scope).map { ($0.client, $0.digest) }
    }

    private func entry(_ secret: String, _ scope: Client.Scope) -> Entry? {
        let digest = Self.digest(secret)
        var found: Entry?
        // `SHA256.Digest` compares in constant time. The walk doesn't end at a match.
        for entry in entries where entry.client.scope == scope && entry.digest == digest { found = entry }
        return found
    }

    /// The client of a session, if it still has the token that the session was opened with.
    func client(_ open: Sessions.Open) -> Client? { entry(open)?.client }

    private func entry(_ open: Sessions.Open) -> Entry? {
        entries.first {
            $0.client == Client(name: open.session.client, scope: .read) && open.isOf($0.digest)
        }
    }

    private static func digest(_ secret: String) -> SHA256.Digest {
        var secret = secret
        return secret.withUTF8 { SHA256.hash(data: UnsafeRawBufferPointer($0)) }
    }

    /// Who sent a request, by its header `Authorization`.
    ///
    /// - Throws: A problem: 401 without a token of the scope, 429 over the rate.
    func authorize(_ headers: HTTPFields, _ scope: Client.Scope) throws -> Client {
        guard let secret = Self.bearer(headers) else { throw Self.unauthorized(scope) }
        return try take(entry(secret, scope), scope)
    }

    /// Who sent a request, by its session.
    ///
    /// - Throws: As with a token.
    func authorize(_ session: Sessions.Open) throws -> Client { try take(entry(session), .read) }

    private func take(_ entry: Entry?, _ scope: Client.Scope) throws -> Client {
        guard let entry else { throw Self.unauthorized(scope) }
        if let bucket = entry.bucket, !bucket.take() {
            throw Problem(
                .tooManyRequests, "too-many-requests", "the client '\(entry.client.name)' sends too many requests"
            ).retry(after: 1)
        }
        return entry.client
    }

    static func unauthorized(_ scope: Client.Scope) -> Problem {
        var problem = Problem(
            .unauthorized, "unauthorized", "a token for '\(scope)' is needed: Authorization: Bearer TOKEN")
        problem.headers[.wwwAuthenticate] = #"Bearer realm="collector""#
        return problem
    }

    private static func bearer(_ headers: HTTPFields) -> String? {
        guard let header = headers.value(.authorization), header.utf8.count > 7,
            zip(header.utf8, "bearer ".utf8).allSatisfy({ $0 | 0x20 == $1 })
        else { return nil }
        return String(header.utf8.dropFirst(7))
    }
}
