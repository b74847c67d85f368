import HTTPTypes
import Heartwood
import HummingbirdTesting
import Testing

@testable import collector

@Suite struct AccessTests {
    private static let reading = [
        "/events", "/events/count", "/events/00", "/events/stream", "/stats", "/stats/stream", "/metrics", "/summaries",
        "/jobs",
    ]

    @Test(arguments: reading) func readingNeedsATokenForReading(_ uri: String) async throws {
        try await Fixture().run { client, _, _ in
            for header in [nil, "Bearer \(Fixture.write)", "Bearer ", "Basic \(Fixture.read)", "Bearer wrong"] {
                var headers: HTTPFields = [:]
                headers[.authorization] = header
                let answer = try await client.send(.get, uri, headers)
                #expect(answer.status == .unauthorized)
                #expect(answer.headers[.contentType] == "application/problem+json")
                #expect(answer.headers[.wwwAuthenticate] == #"Bearer realm="collector""#)
            }
        }
    }

    @Test(arguments: [Fixture.read, "", "wrong", Fixture.write + "x"])
    func writingNeedsATokenForWriting(_ token: String) async throws {
        try await Fixture().run { client, _, store in
            #expect(try await client.post(token: token).status == .unauthorized)
            let retry = try await client.send(.post, "/jobs/retry", [.authorization: "Bearer \(token)"])
            #expect(retry.status == .unauthorized)
            #expect(try await store.eventCount == 0)
        }
    }

    @Test(arguments: ["/", "/page.css", "/page.js", "/icon.svg", "/health", "/ready"])
    func thePageAndTheHealthNeedNone(_ uri: String) async throws {
        try await Fixture().run { client, _, _ in
            let answer = try await client.send(.get, uri)
            #expect(answer.status == .ok && !answer.text.isEmpty)
            #expect(answer.headers[.xContentTypeOptions] == "nosniff")
            let head = try await client.send(.head, uri)
            #expect(head.status == .ok && head.text.isEmpty)
            #expect(head.headers[.contentType] == answer.headers[.contentType])
            guard uri == "/" else { return }
            #expect(answer.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'; script-src 'self';") == true)
            // The policy forbids scripts and styles in the page itself.
            for text in ["style=", "onclick", "<style"] { #expect(!answer.text.contains(text)) }
        }
    }

    @Test func requestsOverTheRateAreRefused() async throws {
        try await Fixture().with { $0.requestsPerSecond = 2 }.run { client, _, _ in
            let cookie = try await login(client).cookie
            var statuses: [HTTPResponse.Status] = []
            var ofSession: Set<HTTPResponse.Status> = []
            for _ in 0..<30 {
                statuses.append(try await client.post().status)
                ofSession.insert(try await client.send(.get, "/stats", cookie).status)
            }
            #expect(statuses.prefix(2).allSatisfy { $0 == .created } && statuses.contains(.tooManyRequests))
            // Sessions have the rate of their client.
            #expect(ofSession == [.ok, .tooManyRequests])
            #expect(try await client.post(token: Fixture.other).status == .created)
        }
    }

    @Test func wrongTokensAreLimited() async throws {
        try await Fixture().with { $0.refusalsPerSecond = 1 }.run { client, _, _ in
            var statuses: Set<Int> = []
            for _ in 0..<200 {
                let answer = try await client.send(.get, "/events", [.authorization: "Bearer not-a-token-of-this"])
                statuses.insert(answer.status.code)
                if answer.status == .tooManyRequests { #expect(answer.headers[.connection] == "close") }
            }
            #expect(statuses == [401, 429])
            // Others aren't held up.
            #expect(try await client.read("/events").status == .ok)
        }
    }

    @Test func aBucketFillsWithTime() {
        let start = ContinuousClock.now
        let bucket = TokenBucket(rate: 10, now: start)
        #expect((0..<10).allSatisfy { _ in bucket.take(now: start) })
        #expect(!bucket.take(now: start) && !bucket.take(now: start + .milliseconds(99)))
        #expect(bucket.take(now: start + .milliseconds(201)) && bucket.take(now: start + .milliseconds(201)))
        #expect(!bucket.take(now: start + .milliseconds(201)))
        // It holds no more than those of a second, and time that goes back gives none.
        #expect((0..<10).allSatisfy { _ in bucket.take(now: start + .seconds(60)) })
        #expect(!bucket.take(now: start + .seconds(60)) && !bucket.take(now: start))
    }

    // MARK: Sessions

    private func login(
        _ client: any TestClientProtocol, _ token: String = Fixture.read
    ) async throws -> (answer: TestResponse, cookie: HTTPFields) {
        let answer = try await client.send(.post, "/login", [:], #"{"token":"\#(token)"}"#)
        return (answer, [.cookie: String((answer.headers[.setCookie] ?? "").prefix { $0 != ";" })])
    }

    @Test func aSessionOpensThePageAndSurvivesARestart() async throws {
        let fixture = Fixture()
        let cookie = try await fixture.run { client, _, _ in
            let (answer, cookie) = try await login(client)
            #expect(answer.status == .noContent)
            let header = try #require(answer.headers[.setCookie])
            for text in ["HttpOnly", "SameSite=Strict", "Path=/"] { #expect(header.contains(text)) }
            #expect(!header.contains("Secure"))
            #expect(try await client.send(.get, "/session", cookie).text == #"{"isOpen":true}"#)
            #expect(try await client.send(.get, "/session", [.cookie: "other=1"]).text == #"{"isOpen":false}"#)
            return cookie
        }
        fixture.clock.advance(by: .seconds(6 * 86_400))
        try await fixture.run { client, _, store in
            #expect(try await client.send(.get, "/events", cookie).status == .ok)
            // The secret isn't in the store.
            let secret = Array((cookie[.cookie] ?? "").utf8.suffix(64))
            for entry in try await store.entries {
                #expect(entry.key.firstRange(of: secret) == nil && entry.value.firstRange(of: secret) == nil)
            }
            // A session doesn't allow to write.
            var headers = cookie
            headers[.contentType] = "application/json"
            #expect(try await client.send(.post, "/events", headers, #"{"type":"a"}"#).status == .unauthorized)
            fixture.clock.advance(by: .seconds(2 * 86_400))
            #expect(try await client.send(.get, "/events", cookie).status == .unauthorized)
        }
    }

    /// A session is over when its token is no longer in the settings, also if another client gets its name.
    @Test(arguments: [[], ["another-secret-of-tests"]]) func aSessionEndsWithItsToken(_ secrets: [String]) async throws
    {
        let fixture = Fixture()
        let cookie = try await fixture.run { client, _, _ in
            let cookie = try await login(client).cookie
            #expect(try await client.send(.get, "/stats", cookie).status == .ok)
            return cookie
        }
        let tokens = secrets.map { (client: Client(name: "reader", scope: .read), secret: $0) }
        try await fixture.with { $0.tokens = tokens }.run { client, _, _ in
            let stats = try await client.send(.get, "/stats", cookie)
            #expect(stats.status == .unauthorized)
            #expect(try await client.send(.get, "/session", cookie).text == #"{"isOpen":false}"#)
        }
    }

    @Test(arguments: [nil, "", "x", "../n", String(repeating: "0", count: 64)])
    func withoutASessionNothingIsOpenAndNothingIsWritten(_ value: String?) async throws {
        try await Fixture().run { client, _, store in
            let before = try await store.entries.map(\.sequence)
            let headers: HTTPFields = value.map { [.cookie: "\(Access.cookie)=\($0)"] } ?? [:]
            #expect(try await client.send(.get, "/stats", headers).status == .unauthorized)
            #expect(try await client.send(.post, "/logout", headers).status == .noContent)
            #expect(try await store.entries.map(\.sequence) == before)
        }
    }

    @Test func loggingOutEndsTheSession() async throws {
        try await Fixture().run { client, _, _ in
            let cookie = try await login(client).cookie
            #expect(try await client.send(.get, "/stats", cookie).status == .ok)
            let answer = try await client.send(.post, "/logout", cookie)
            #expect(answer.headers[.setCookie]?.contains("Max-Age=0") == true)
            #expect(try await client.send(.get, "/stats", cookie).status == .unauthorized)
        }
    }

    @Test func attemptsAreLimitedAlsoAfterARestart() async throws {
        let fixture = Fixture().with { $0.loginsPerMinute = 3 }
        for attempts in [3, 0] {
            try await fixture.run { client, _, _ in
                for _ in 0..<attempts { #expect(try await login(client, "wrong").answer.status == .unauthorized) }
                let answer = try await login(client).answer
                #expect(answer.status == .tooManyRequests)
                #expect(answer.headers[.retryAfter].flatMap { Int($0) }.map { 1...60 ~= $0 } == true)
            }
        }
        fixture.clock.advance(by: .seconds(60))
        try await fixture.run { client, _, _ in
            let answer = try await login(client).answer
            #expect(answer.status == .noContent)
            // A token for writing opens no session, and neither does what is none.
            #expect(try await login(client, Fixture.write).answer.status == .unauthorized)
            #expect(try await client.send(.post, "/login", [:], "token=x").code == "invalid-login")
        }
    }
}
