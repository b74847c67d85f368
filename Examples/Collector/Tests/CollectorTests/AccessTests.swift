import Foundation
import HTTPTypes
import Heartwood
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import CollectorService

@Suite struct AccessTests {
    private static let reading = [
        "/events", "/events/count", "/events/00", "/events/stream", "/stats", "/stats/stream", "/metrics",
    ]

    @Test(arguments: reading)
    func readingNeedsATokenForReading(_ uri: String) async throws {
        try await Fixture().run { client, _ in
            for header in [nil, "Bearer \(Fixture.write)", "Bearer ", "Basic \(Fixture.read)", "Bearer wrong"] {
                var headers: HTTPFields = [:]
                headers[.authorization] = header
                let answer = try await client.executeRequest(uri: uri, method: .get, headers: headers, body: nil)
                #expect(answer.status == .unauthorized)
                #expect(answer.headers[.contentType] == "application/problem+json")
                #expect(answer.headers[.wwwAuthenticate] == #"Bearer realm="collector""#)
            }
        }
    }

    @Test func writingNeedsATokenForWriting() async throws {
        try await Fixture().run { client, store in
            for token in [Fixture.read, "", "wrong", Fixture.write + "x"] {
                let answer = try await client.post("{\"type\":\"a\"}", token: token)
                #expect(answer.status == .unauthorized)
            }
            #expect(try await store.fetchCount(in: EventKeys.events) == 0)
        }
    }

    @Test(arguments: ["/", "/page.css", "/page.js", "/icon.svg", "/health", "/ready"])
    func thePageAndTheHealthNeedNone(_ uri: String) async throws {
        try await Fixture().run { client, _ in
            let answer = try await client.executeRequest(uri: uri, method: .get, headers: [:], body: nil)
            #expect(answer.status == .ok)
            #expect(!answer.text.isEmpty)
            #expect(answer.headers[.xContentTypeOptions] == "nosniff")
            let head = try await client.executeRequest(uri: uri, method: .head, headers: [:], body: nil)
            #expect(head.status == .ok)
            #expect(head.text.isEmpty && head.headers[.contentType] == answer.headers[.contentType])
        }
    }

    @Test func thePageMayLoadOnlyItsOwnFiles() async throws {
        try await Fixture().run { client, _ in
            let answer = try await client.executeRequest(uri: "/", method: .get, headers: [:], body: nil)
            #expect(answer.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'; script-src 'self';") == true)
            // The policy forbids scripts and styles in the page itself.
            #expect(
                !answer.text.contains("style=") && !answer.text.contains("onclick") && !answer.text.contains("<style"))
        }
    }

    @Test func requestsOverTheRateAreRefused() async throws {
        var fixture = Fixture()
        fixture.settings.requestsPerSecond = 2
        try await fixture.run { client, _ in
            var statuses: [HTTPResponse.Status] = []
            for _ in 0..<30 { statuses.append(try await client.post("{\"type\":\"a\"}").status) }
            #expect(statuses.prefix(2).allSatisfy { $0 == .created })
            #expect(statuses.contains(.tooManyRequests))
            let other = try await client.post("{\"type\":\"a\"}", token: "other-secret-of-tests")
            #expect(other.status == .created)
        }
    }

    @Test func aBucketFillsWithTime() {
        let start = ContinuousClock.now
        let bucket = TokenBucket(rate: 10, now: start)
        #expect((0..<10).allSatisfy { _ in bucket.take(now: start) })
        #expect(!bucket.take(now: start))
        #expect(!bucket.take(now: start + .milliseconds(99)))
        #expect(bucket.take(now: start + .milliseconds(201)))
        #expect(bucket.take(now: start + .milliseconds(201)))
        #expect(!bucket.take(now: start + .milliseconds(201)))
        // It holds no more than those of a second, and time that goes back gives none.
        #expect((0..<10).allSatisfy { _ in bucket.take(now: start + .seconds(60)) })
        #expect(!bucket.take(now: start + .seconds(60)))
        #expect(!bucket.take(now: start))
    }
}

@Suite struct SessionTests {
    private static func login(_ client: any TestClientProtocol, _ token: String) async throws -> TestResponse {
        try await client.executeRequest(
            uri: "/login", method: .post, headers: [:], body: ByteBuffer(string: #"{"token":"\#(token)"}"#))
    }

    private static func get(_ client: any TestClientProtocol, _ uri: String, _ cookie: String) async throws
        -> TestResponse
    {
        try await client.executeRequest(uri: uri, method: .get, headers: [.cookie: cookie], body: nil)
    }

    @Test func aSessionOpensThePageAndSurvivesARestart() async throws {
        let fixture = Fixture()
        let cookies = Cookies()
        try await fixture.run { client, _ in
            let answer = try await Self.login(client, Fixture.read)
            #expect(answer.status == .noContent)
            let header = try #require(answer.headers[.setCookie])
            #expect(header.contains("HttpOnly") && header.contains("SameSite=Strict") && header.contains("Path=/"))
            #expect(!header.contains("Secure"))
            await cookies.set(String(header.prefix { $0 != ";" }))
            #expect(try await Self.get(client, "/session", await cookies.value).text == #"{"isOpen":true}"#)
            #expect(try await Self.get(client, "/session", "other=1").text == #"{"isOpen":false}"#)
            #expect(try await Self.get(client, "/stats", await cookies.value).status == .ok)
        }
        fixture.clock.advance(by: .seconds(6 * 86_400))
        try await fixture.run { client, store in
            let cookie = await cookies.value
            #expect(try await Self.get(client, "/events", cookie).status == .ok)
            // The secret isn't in the store.
            let secret = Array(cookie.utf8.suffix(64))
            for entry in try await store.fetchEntries(in: .all, reversed: false, limit: .max).entries {
                #expect(entry.key.firstRange(of: secret) == nil && entry.value.firstRange(of: secret) == nil)
            }
            // A session doesn't allow to write.
            let post = try await client.executeRequest(
                uri: "/events", method: .post, headers: [.cookie: cookie, .contentType: "application/json"],
                body: ByteBuffer(string: #"{"type":"a"}"#))
            #expect(post.status == .unauthorized)
            fixture.clock.advance(by: .seconds(2 * 86_400))
            #expect(try await Self.get(client, "/events", cookie).status == .unauthorized)
        }
    }

    /// A session is over when its token is no longer in the settings, also if another client gets its name.
    @Test func aSessionEndsWithItsToken() async throws {
        var fixture = Fixture()
        let cookies = Cookies()
        try await fixture.run { client, _ in
            let header = try #require(try await Self.login(client, Fixture.read).headers[.setCookie])
            await cookies.set(String(header.prefix { $0 != ";" }))
            #expect(try await Self.get(client, "/stats", await cookies.value).status == .ok)
        }
        let other = (client: Client(name: "reader", scope: .read), secret: "another-secret-of-tests")
        for tokens in [[], [other]] {
            fixture.settings.tokens = tokens
            try await fixture.run { client, _ in
                let cookie = await cookies.value
                let stats = try await Self.get(client, "/stats", cookie)
                #expect(stats.status == .unauthorized)
                #expect(try await Self.get(client, "/session", cookie).text == #"{"isOpen":false}"#)
            }
        }
    }

    @Test func sessionsHaveTheRateOfTheirClient() async throws {
        var fixture = Fixture()
        fixture.settings.requestsPerSecond = 2
        try await fixture.run { client, _ in
            let cookie = String(try await Self.login(client, Fixture.read).headers[.setCookie]!.prefix { $0 != ";" })
            var statuses: [HTTPResponse.Status] = []
            for _ in 0..<30 { statuses.append(try await Self.get(client, "/stats", cookie).status) }
            #expect(statuses.contains(.tooManyRequests))
        }
    }

    @Test(arguments: [nil, "x", String(repeating: "0", count: 64)])
    func loggingOutWithoutASessionWritesNothing(_ value: String?) async throws {
        try await Fixture().run { client, store in
            let before = try await store.readView().position
            let headers: HTTPFields = value.map { [.cookie: "\(Sessions.cookie)=\($0)"] } ?? [:]
            let answer = try await client.executeRequest(uri: "/logout", method: .post, headers: headers, body: nil)
            #expect(answer.status == .noContent)
            #expect(try await store.readView().position == before)
        }
    }

    @Test func loggingOutEndsTheSession() async throws {
        try await Fixture().run { client, _ in
            let cookie = String(try await Self.login(client, Fixture.read).headers[.setCookie]!.prefix { $0 != ";" })
            #expect(try await Self.get(client, "/stats", cookie).status == .ok)
            let answer = try await client.executeRequest(
                uri: "/logout", method: .post, headers: [.cookie: cookie], body: nil)
            #expect(answer.headers[.setCookie]?.contains("Max-Age=0") == true)
            #expect(try await Self.get(client, "/stats", cookie).status == .unauthorized)
        }
    }

    @Test func attemptsAreLimitedAlsoAfterARestart() async throws {
        var fixture = Fixture()
        fixture.settings.loginsPerMinute = 3
        let clock = fixture.clock
        for isFirst in [true, false] {
            try await fixture.run { client, _ in
                for _ in 0..<3 where isFirst {
                    #expect(try await Self.login(client, "wrong").status == .unauthorized)
                }
                let answer = try await Self.login(client, Fixture.read)
                #expect(answer.status == .tooManyRequests)
                #expect(answer.headers[.retryAfter].flatMap { Int($0) }.map { 1...60 ~= $0 } == true)
            }
        }
        clock.advance(by: .seconds(60))
        try await fixture.run { client, _ in
            let answer = try await Self.login(client, Fixture.read)
            #expect(answer.status == .noContent)
        }
    }

    @Test func aTokenForWritingOpensNoSession() async throws {
        try await Fixture().run { client, _ in
            let answer = try await Self.login(client, Fixture.write)
            #expect(answer.status == .unauthorized)
            let invalid = try await client.executeRequest(
                uri: "/login", method: .post, headers: [:], body: ByteBuffer(string: "token=x"))
            #expect(invalid.code == "invalid-login")
        }
    }

    @Test(arguments: ["", "x", "../n", String(repeating: "0", count: 64)])
    func otherCookiesOpenNothing(_ value: String) async throws {
        try await Fixture().run { client, _ in
            let answer = try await Self.get(client, "/stats", "\(Sessions.cookie)=\(value)")
            #expect(answer.status == .unauthorized)
        }
    }

    private actor Cookies {
        var value = ""
        func set(_ value: String) { self.value = value }
    }
}
